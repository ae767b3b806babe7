package dev.assay.operator.output;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stores the definitions of the tools of a namespace, by their digests. */
public interface DefinitionStore {
  /**
   * Stores definitions, except those whose digest is stored. When this returns, they survive a
   * crash of the operator and of its node.
   *
   * @param definitions by the SHA-256 that names each, in hexadecimal
   * @throws DefinitionLimitException if the namespace has no room for all of them; none is stored
   */
  void putDefinitions(String namespace, Map<String, byte[]> definitions) throws IOException;

  /** A definition; empty if it is not stored. */
  Optional<byte[]> definition(String namespace, String digest) throws IOException;

  /** The digests of all definitions of a namespace. */
  Set<String> definitions(String namespace) throws IOException;

  /** Deletes a definition; idempotent. */
  void deleteDefinition(String namespace, String digest) throws IOException;
}
