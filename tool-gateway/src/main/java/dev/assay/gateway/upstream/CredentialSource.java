package dev.assay.gateway.upstream;

import java.util.Optional;

/** Reads credentials by the names of their Secrets. */
public interface CredentialSource {
  /** The credential; empty if there is no such Secret. */
  Optional<Credential> read(String secretName);
}
