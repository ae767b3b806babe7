package dev.assay.operator.output;

import dev.assay.api.v1alpha1.Bounds;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/**
 * Stores the output, the values, the artifacts and the calls of runs, by namespace and run UID, and
 * the definitions of tools, in files or as objects.
 *
 * <p>Output arrives in parts that are named by their offset, and is finished by a manifest. Both
 * are written once: the same again succeeds, anything else is refused. Two leaders may therefore
 * write the same output at the same time, and a store needs no more than to create something unless
 * it exists, and to read, list and delete it.
 */
public interface OutputStore extends CallStore, DefinitionStore {
  /** The location as shown to users, such as its directory. */
  String location();

  /**
   * Stores a part of the output. A repeat has the bytes and the boundaries of the first time. A gap
   * is refused now or by {@link #finish}.
   *
   * @throws OutputConflictException if other bytes are stored there; they are kept
   * @throws IOException if the part cannot be stored now
   */
  void append(String namespace, String runUid, long offset, byte[] data) throws IOException;

  /**
   * Makes the output durable, and then creates its manifest. When this returns, both survive a
   * crash of the operator and of its node. If the output is finished already, its manifest is kept.
   *
   * @throws OutputConflictException if more bytes are stored than the manifest says, or the output
   *     was finished with other bytes
   * @throws IOException if bytes are missing, or the output cannot be finished now; it must not be
   *     acknowledged then
   */
  void finish(String namespace, String runUid, OutputManifest manifest) throws IOException;

  /** The manifest; empty for an unknown run and for output that is not finished. */
  Optional<OutputManifest> manifest(String namespace, String runUid) throws IOException;

  /** Reads from an offset to the end; empty for an unknown run. */
  Optional<InputStream> read(String namespace, String runUid, long offset) throws IOException;

  /**
   * Stores the value of a run. When this returns, it survives a crash of the operator and of its
   * node.
   *
   * @param value JSON text of at most {@link Bounds#MAX_VALUE_BYTES}
   * @throws OutputConflictException if another value is stored; it is kept
   * @throws IOException if it cannot be stored now; it must not be acknowledged then
   */
  void putValue(String namespace, String runUid, byte[] value) throws IOException;

  /** The value of a run; empty if none is stored. */
  Optional<byte[]> value(String namespace, String runUid) throws IOException;

  /** Deletes the value of a run, and keeps its output; idempotent. */
  void deleteValue(String namespace, String runUid) throws IOException;

  /** Begins to store the artifacts of a run, which are there once the writer has finished. */
  ArtifactWriter writeArtifacts(String namespace, String runUid) throws IOException;

  /** The artifacts that are stored of a run; empty if its artifacts were never stored. */
  Optional<ArtifactList> artifacts(String namespace, String runUid) throws IOException;

  /**
   * Opens a part of an artifact, past the end of which nothing is read; empty if it is not stored.
   *
   * @param number 1, 2, 3 …
   */
  Optional<StoredArtifact> artifact(
      String namespace, String runUid, int number, long offset, long maxBytes) throws IOException;

  /** How much room there is. */
  OutputSpace space() throws IOException;

  /** Everything that is stored in a namespace. This may take long: see {@link RunOutputs}. */
  List<OutputEntry> list(String namespace) throws IOException;

  /** Deletes the output of a run, its manifest, value, artifacts and calls; idempotent. */
  void delete(String namespace, String runUid) throws IOException;
}
