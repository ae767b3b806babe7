package dev.assay.jvm.job;

/** What programs know an error by. */
public enum ErrorCode {
  INVALID_INPUT,
  FILE_NOT_FOUND,
  SCHEMA_ERROR,
  QUERY_ERROR,
  ENGINE_ERROR,
  MEMORY_ERROR,
  TIMEOUT,
  SYNTAX_ERROR,
  TRANSPILE_ERROR,
  RUNTIME_ERROR,
  SERIALIZATION_ERROR
}
