# Holds a page of the documentation to a file that it shows.
file(READ "${FILE}" shown)
file(READ "${PAGE}" page)
string(FIND "${page}" "${shown}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${PAGE} does not show ${FILE} as it is")
endif()
