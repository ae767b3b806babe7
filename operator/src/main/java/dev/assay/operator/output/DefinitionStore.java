package dev.assay.operator.output;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Stores the definitions of the tools of a namespace, by their digests. */
public interface DefinitionStore {
  /**
   * Stores a definition, unless one with its digest is stored. When this returns, it survives a
   * crash of the operator and of its node.
   *
   * @param digest the SHA-256 that names it, in hexadecimal
   */
  void putDefinition(String namespace, String digest, byte[] definition) throws IOException;

  /** A definition; empty if it is not stored. */
  Optional<byte[]> definition(String namespace, String digest) throws IOException;

  /** The digests of all definitions of a namespace. */
  Set<String> definitions(String namespace) throws IOException;

  /** Deletes a definition; idempotent. */
  void deleteDefinition(String namespace, String digest) throws IOException;
}
