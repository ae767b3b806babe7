package dev.assay.operator.runner;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who answers at an address.
 *
 * @param protocol version of the runner protocol
 * @param podUid UID of the Pod that answers
 * @param nonce of the runner process
 * @param state Idle, Staged, Started or Finished
 * @param runUid the run that it was given, if any
 * @param keyIds the keys that it trusts
 */
public record Hello(
    @JsonProperty(required = true) int protocol,
    @JsonProperty(required = true) String podUid,
    @JsonProperty(required = true) String nonce,
    @JsonProperty(required = true) String state,
    @Nullable String runUid,
    @Nullable List<String> keyIds) {}
