package dev.assay.local.isolation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request to the helper as JSON; {@code specification.py} reads it. */
final class HelperRequest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HelperRequest() {}

  /** A container with a root directory of its own, made in an empty one. */
  static String isolated(ContainerSpec spec, List<Mount> mounts, Path root) {
    return request(spec, spec.argv(), spec.directory(), root, mounts, false);
  }

  /** A container that shares all with this machine. */
  static String plain(ContainerSpec spec) {
    return request(spec, spec.argv(), spec.directory(), null, List.of(), false);
  }

  /** A program that starts the container as its only child. */
  static String wrapped(ContainerSpec spec, List<String> argv) {
    return request(spec, argv, "/", null, List.of(), true);
  }

  private static String request(
      ContainerSpec spec,
      List<String> argv,
      String directory,
      @Nullable Path root,
      List<Mount> mounts,
      boolean wrapped) {
    ObjectNode request = JSON.createObjectNode();
    argv.forEach(request.putArray("argv")::add);
    spec.environment().forEach(request.putObject("environment")::put);
    request.put("directory", directory).put("wrapped", wrapped).put("network", spec.network());
    request.put("root", root == null ? null : root.toString());
    ArrayNode list = request.putArray("mounts");
    mounts.forEach(mount -> write(mount, list.addObject()));
    ArrayNode handedOver = request.putArray("handed_over");
    spec.handedOver().forEach(path -> handedOver.add(path.toString()));
    ObjectNode user = request.putObject("user");
    user.put("uid", spec.user().uid()).put("gid", spec.user().gid());
    spec.user().groups().forEach(user.putArray("groups")::add);
    request.putNull("memory_limit_bytes");
    spec.memoryLimit().ifPresent(bytes -> request.put("memory_limit_bytes", bytes));
    return request.toString();
  }

  private static void write(Mount mount, ObjectNode node) {
    node.put("path", mount.path()).put("writable", false);
    node.putNull("source").putNull("link").putNull("memory_bytes");
    switch (mount) {
      case Mount.Bind bind ->
          node.put("source", bind.source().toString()).put("writable", bind.writable());
      case Mount.Link link -> node.put("link", link.target());
      case Mount.Memory memory -> node.put("memory_bytes", memory.bytes());
    }
  }
}
