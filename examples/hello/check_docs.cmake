# docs/embedding.md shows hello.c; this holds the two together.
file(READ "${PROGRAM}" program)
file(READ "${PAGE}" page)
string(FIND "${page}" "${program}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${PAGE} does not show ${PROGRAM} as it is")
endif()
