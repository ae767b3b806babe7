package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.ToolPermission;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call as the gateway is asked for it.
 *
 * @param namespace of run and tool server
 * @param call its number in the run
 * @param args JSON text
 * @param digest {@link CallArguments#digest} of it
 * @param resultBytes the maximum length of its result
 * @param permissions the permissions of tools that the run may call; null for all
 * @param approved the digest of the definition that may be called; null if none was approved, and
 *     where the tool server needs no approval
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record GatewayCall(
    String namespace,
    String runUid,
    int call,
    String server,
    String tool,
    byte[] args,
    String digest,
    int resultBytes,
    @Nullable List<ToolPermission> permissions,
    @Nullable String approved) {}
