package dev.assay.frontend.mcp;

import dev.assay.frontend.artifact.RunResources;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.config.ToolNames;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.tool.GuardedTool;
import dev.assay.frontend.tool.ToolDescription;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers requests of the protocol: the SDK's stateless server with our tools, and the guard
 * between what it says and what a client gets to read.
 */
public final class McpEndpoint implements McpStatelessServerTransport {
  /**
   * The versions of the protocol that are spoken here, oldest first. The one before them requires
   * batches.
   */
  public static final List<String> VERSIONS =
      List.of(ProtocolVersions.MCP_2025_06_18, ProtocolVersions.MCP_2025_11_25);

  private static final Logger log = LoggerFactory.getLogger(McpEndpoint.class);
  private static final List<String> REQUIRED_OF_INITIALIZE =
      List.of("protocolVersion", "capabilities", "clientInfo");
  private static final String CALL = "dev.assay.call";
  private static final String ARGUMENTS = "dev.assay.arguments";

  /** Lists that have one page. */
  private static final Set<String> WHOLE_LISTS =
      Set.of(
          McpSchema.METHOD_TOOLS_LIST,
          McpSchema.METHOD_PROMPT_LIST,
          McpSchema.METHOD_RESOURCES_TEMPLATES_LIST);

  /** What the SDK reads params as; of the other methods it looks at none. */
  private static final Map<String, Class<?>> PARAMS =
      Map.of(
          McpSchema.METHOD_INITIALIZE, McpSchema.InitializeRequest.class,
          McpSchema.METHOD_PROMPT_GET, McpSchema.GetPromptRequest.class,
          McpSchema.METHOD_TOOLS_CALL, McpSchema.CallToolRequest.class);

  private final McpJsonMapper sdkJson;
  private final Map<String, GuardedTool> tools;

  /** The name by which a tool is known here, by each that it answers to. */
  private final Map<String, String> aliases = new HashMap<>();

  private final Listing listing;
  private final Resources resources;
  private @Nullable McpStatelessServerHandler handler;

  /**
   * How tools are listed.
   *
   * @param names which of their names; they answer to all of them
   * @param outputSchemas whether with the schema of what they return
   * @param pythonMayWrite whether Python of a caller may call tools that change something
   */
  public record Listing(
      ToolNames names, boolean outputSchemas, Predicate<Identity> pythonMayWrite) {}

  /** Builds the server. */
  public McpEndpoint(
      JsonMapper json,
      List<GuardedTool> tools,
      RunResources resources,
      Listing listing,
      String version) {
    this.listing = listing;
    this.resources = new Resources(resources);
    this.tools =
        tools.stream()
            .collect(Collectors.toMap(tool -> tool.description().name(), Function.identity()));
    for (GuardedTool tool : tools) {
      ToolDescription description = tool.description();
      description.names().forEach(name -> aliases.put(name, description.name()));
    }
    this.sdkJson = Json.forSdk(json);
    var unused =
        McpServer.sync(this)
            .serverInfo("assay", version)
            .instructions(Instructions.of(this.tools.keySet()))
            .capabilities(
                McpSchema.ServerCapabilities.builder()
                    .tools(false)
                    .resources(false, false)
                    .prompts(false)
                    .build())
            .jsonMapper(sdkJson)
            .immediateExecution(true)
            .strictToolNameValidation(true)
            // Tools check for themselves, so that every refusal has the form agents know.
            .validateToolInputs(false)
            // The schema of structured content is generated from its record. The SDK's check would
            // take several times its size in memory.
            .jsonSchemaValidator((schema, content) -> ValidationResponse.asValid(null))
            .tools(tools.stream().map(tool -> specification(tool, sdkJson)).toList())
            .prompts(Prompts.ALL)
            .build();
  }

  /**
   * Whether a lost connection cancels a call. Up to 2025-11-25 the specification says that it
   * should not be taken so, and a client cancels by a notification; later versions have none.
   *
   * @param version as the request names it; null where it names none, as the earliest clients do
   */
  public static boolean disconnectCancels(@Nullable String version) {
    return version != null && version.compareTo(ProtocolVersions.MCP_2025_11_25) > 0;
  }

  private SyncToolSpecification specification(GuardedTool tool, McpJsonMapper json) {
    ToolDescription description = tool.description();
    McpSchema.Tool.Builder sdkTool =
        McpSchema.Tool.builder(description.name(), InputSchema.of(description.parameters()))
            .description(description.text())
            .annotations(annotations(description.title(), description.effects()));
    // Generating them takes a third of the time that a front end needs to start.
    if (listing.outputSchemas && description.output() != null) {
      sdkTool.outputSchema(json, OutputSchema.of(description.output()));
    }
    return new SyncToolSpecification(sdkTool.build(), (context, request) -> call(tool, context));
  }

  /** The title is among the hints, where clients of every version look for it. */
  private static McpSchema.ToolAnnotations annotations(
      String title, ToolDescription.Effects effects) {
    McpSchema.ToolAnnotations.Builder hints = McpSchema.ToolAnnotations.builder().title(title);
    return switch (effects) {
      case READS, RUNS_PYTHON -> hints.readOnlyHint(true).build();
      case WRITES -> hints.destructiveHint(false).build();
      case DESTROYS -> hints.destructiveHint(true).build();
    };
  }

  @SuppressWarnings("unchecked") // Put there below.
  private static McpSchema.CallToolResult call(GuardedTool tool, McpTransportContext context) {
    CallContext call = (CallContext) Objects.requireNonNull(context.get(CALL));
    var arguments = (Map<String, Object>) Objects.requireNonNull(context.get(ARGUMENTS));
    return CallResults.of(tool.call(call, arguments), tool.description());
  }

  @Override
  public void setMcpHandler(McpStatelessServerHandler made) {
    this.handler = made;
  }

  @Override
  public List<String> protocolVersions() {
    return VERSIONS;
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.empty();
  }

  /** How long it takes to answer a request. */
  public MethodKind kindOf(Message.Request request) {
    Optional<MethodKind> ofResources = Resources.kindOf(request.method());
    if (ofResources.isPresent()) {
      return ofResources.get();
    }
    return called(request).map(tool -> tool.description().kind()).orElse(MethodKind.QUICK);
  }

  /**
   * Whether the answer follows from the settings and the classes: of the handshake and the lists.
   */
  public boolean needsNoCluster(Message.Request request) {
    return !McpSchema.METHOD_TOOLS_CALL.equals(request.method())
        && kindOf(request) == MethodKind.QUICK;
  }

  /** Whether a request can create a run. */
  public boolean createsRuns(Message.Request request) {
    return called(request).filter(GuardedTool::createsRuns).isPresent();
  }

  private Optional<GuardedTool> called(Message.Request request) {
    return McpSchema.METHOD_TOOLS_CALL.equals(request.method())
            && request.params().get("name") instanceof String name
        ? Optional.ofNullable(tools.get(known(name)))
        : Optional.empty();
  }

  /**
   * Answers a request; returns what is to be written as JSON.
   *
   * @param groups of the tools that are there for the caller
   */
  public Object answer(Message.Request request, CallContext call, Set<ToolGroup> groups) {
    RpcError unusable = wrongParams(request);
    if (unusable != null) {
      return unusable.answerTo(request.id());
    }
    if (Resources.kindOf(request.method()).isPresent()) {
      return resources.answer(request, call);
    }
    Map<String, Object> params = request.params();
    Map<String, Object> arguments = Map.of();
    if (McpSchema.METHOD_TOOLS_CALL.equals(request.method())) {
      RpcError wrong = wrongCall(request, groups);
      if (wrong != null) {
        return wrong.answerTo(request.id());
      }
      // The SDK would copy the arguments, and knows nothing of values that are too long.
      params = new LinkedHashMap<>(params);
      arguments = argumentsOf(params.remove("arguments"));
      params.computeIfPresent("name", (key, name) -> known(String.valueOf(name)));
    }
    if (!fits(request.method(), params)) {
      return invalidParams(request).answerTo(request.id());
    }
    McpTransportContext context =
        McpTransportContext.create(Map.of(CALL, call, ARGUMENTS, arguments));
    McpSchema.JSONRPCResponse response;
    try {
      response =
          Objects.requireNonNull(handler, "the server is built")
              .handleRequest(
                  context, new McpSchema.JSONRPCRequest(request.method(), request.id(), params))
              .block();
    } catch (RuntimeException e) {
      log.error("request {} could not be handled", call.requestId(), e);
      return internal(call).answerTo(request.id());
    }
    if (response == null) {
      log.error("request {} has no answer", call.requestId());
      return internal(call).answerTo(request.id());
    }
    return response.error() == null
        ? narrowed(response, visible(groups), call.identity())
        : inOurWords(response.error(), request, call).answerTo(request.id());
  }

  @SuppressWarnings("unchecked") // Members of JSON objects have names.
  private static Map<String, Object> argumentsOf(@Nullable Object arguments) {
    return arguments == null ? Map.of() : (Map<String, Object>) arguments;
  }

  private Set<String> visible(Set<ToolGroup> groups) {
    return tools.entrySet().stream()
        .filter(tool -> tool.getValue().isListed() && tool.getValue().isInOneOf(groups))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The SDK's server knows all tools, and nothing of who sees which. */
  private McpSchema.JSONRPCResponse narrowed(
      McpSchema.JSONRPCResponse response, Set<String> visible, Identity caller) {
    Object result =
        switch (response.result()) {
          case McpSchema.ListToolsResult list -> {
            boolean pythonMayWrite = listing.pythonMayWrite.test(caller);
            yield new McpSchema.ListToolsResult(
                list.tools().stream()
                    .filter(tool -> visible.contains(tool.name()))
                    .map(tool -> asListed(tool, pythonMayWrite))
                    .toList(),
                list.nextCursor(),
                list.meta());
          }
          case McpSchema.ListPromptsResult list ->
              McpSchema.ListPromptsResult.builder(Prompts.visible(list.prompts(), visible)).build();
          case McpSchema.InitializeResult server ->
              new McpSchema.InitializeResult(
                  server.protocolVersion(),
                  server.capabilities(),
                  server.serverInfo(),
                  Instructions.of(visible),
                  server.meta());
          default -> response.result();
        };
    return McpSchema.JSONRPCResponse.result(response.id(), result);
  }

  private McpSchema.Tool asListed(McpSchema.Tool tool, boolean pythonMayWrite) {
    ToolDescription description = description(tool.name());
    boolean mayWrite =
        pythonMayWrite && description.effects() == ToolDescription.Effects.RUNS_PYTHON;
    return new McpSchema.Tool(
        description.listedAs(listing.names),
        tool.title(),
        tool.description(),
        tool.inputSchema(),
        tool.outputSchema(),
        mayWrite
            ? annotations(description.title(), ToolDescription.Effects.DESTROYS)
            : tool.annotations(),
        tool.meta(),
        tool.icons());
  }

  private String listed(String name) {
    return description(name).listedAs(listing.names);
  }

  private ToolDescription description(String name) {
    return Objects.requireNonNull(tools.get(name), "a tool").description();
  }

  private String known(String name) {
    return aliases.getOrDefault(name, name);
  }

  /** Checks that the SDK does not make, or whose messages do not help. */
  private static @Nullable RpcError wrongParams(Message.Request request) {
    Map<String, Object> params = request.params();
    if (WHOLE_LISTS.contains(request.method()) && params.get("cursor") != null) {
      return new RpcError(
          RpcError.INVALID_PARAMS, "'cursor' is not one that a page returned: there is one page");
    }
    if (McpSchema.METHOD_INITIALIZE.equals(request.method())) {
      return REQUIRED_OF_INITIALIZE.stream()
          .filter(name -> params.get(name) == null)
          .findFirst()
          .map(name -> new RpcError(RpcError.INVALID_PARAMS, "'" + name + "' is missing"))
          .orElse(null);
    }
    if (McpSchema.METHOD_PROMPT_GET.equals(request.method())
        && params.get("name") instanceof String name
        && !Prompts.NAMES.contains(name)) {
      return new RpcError(
          RpcError.INVALID_PARAMS,
          "Unknown prompt: "
              + Text.oneLine(name, 64)
              + ". The prompts are "
              + String.join(", ", Prompts.NAMES));
    }
    return null;
  }

  private @Nullable RpcError wrongCall(Message.Request request, Set<ToolGroup> groups) {
    if (!(request.params().get("name") instanceof String name)) {
      return new RpcError(RpcError.INVALID_PARAMS, "'name' must be the name of a tool");
    }
    @Nullable GuardedTool called = tools.get(known(name));
    if (called == null || !called.isInOneOf(groups)) {
      Set<String> visible = visible(groups);
      String problem =
          aliases.containsKey(name)
              ? "Tool not available with this key and path: " + name
              : "Unknown tool: " + Text.oneLine(name, 64);
      return new RpcError(
          RpcError.INVALID_PARAMS,
          problem
              + (visible.isEmpty()
                  ? ". There are none: their tool groups have nothing in common"
                  : ". The tools are "
                      + visible.stream()
                          .map(this::listed)
                          .sorted()
                          .collect(Collectors.joining(", "))));
    }
    Object arguments = request.params().get("arguments");
    if (arguments != null && !(arguments instanceof Map<?, ?>)) {
      return new RpcError(
          RpcError.INVALID_PARAMS,
          "'arguments' must be an object"
              + (arguments instanceof String ? ", not a text that contains one" : ""));
    }
    return null;
  }

  /**
   * Whether the SDK can read the params. It tells no difference between those that it cannot read
   * and a failure of its own.
   */
  @SuppressWarnings("CatchingUnchecked") // Whatever the library throws, they were not read.
  private boolean fits(String method, Map<String, Object> params) {
    Class<?> type = PARAMS.get(method);
    try {
      return type == null || sdkJson.convertValue(params, type) != null;
    } catch (RuntimeException e) {
      log.debug("params of {} cannot be read", method, e);
      return false;
    }
  }

  /** The SDK puts exceptions' messages, and so names of classes, into its errors. */
  private static RpcError inOurWords(
      McpSchema.JSONRPCResponse.JSONRPCError error, Message.Request request, CallContext call) {
    return switch (error.code()) {
      case RpcError.METHOD_NOT_FOUND ->
          new RpcError(
              RpcError.METHOD_NOT_FOUND,
              "Method not found: " + Text.oneLine(request.method(), 128));
      case RpcError.INVALID_PARAMS -> {
        log.debug("request {} was refused: {}", call.requestId(), error.message());
        yield invalidParams(request);
      }
      default -> {
        log.error("request {} failed with {}: {}", call.requestId(), error.code(), error.message());
        yield internal(call);
      }
    };
  }

  private static RpcError invalidParams(Message.Request request) {
    return new RpcError(
        RpcError.INVALID_PARAMS,
        "The params of " + Text.oneLine(request.method(), 128) + " are not valid");
  }

  private static RpcError internal(CallContext call) {
    return new RpcError(
        RpcError.INTERNAL, "Internal server error (request " + call.requestId() + ")");
  }
}
