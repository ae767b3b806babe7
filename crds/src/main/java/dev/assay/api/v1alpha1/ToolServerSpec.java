package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a tool server is reached, and which of its tools are trusted. The platform team writes it.
 *
 * @param url where the server is, with http or https; has no credentials and no fragment
 * @param protocol the transport of MCP that it speaks
 * @param enabled whether its tools can be called; true when absent
 * @param quarantined whether its tools are listed for review, and none can be called; false when
 *     absent
 * @param auth the credential that requests carry; none when absent
 * @param headers further headers of requests; no credentials
 * @param tools which tools there are, and what they may do
 * @param approval which definitions of tools can be called: with Baseline those of the first list
 *     and of {@code approvedTools}, with Pinned those of {@code approvedTools}, with None whatever
 *     the server lists
 * @param approvedTools definitions that can be called, by their digests. A tool may have several
 * @param session whether runs share sessions of MCP, or have one each
 * @param limits limits of calls and of the list of tools
 * @param audit what is recorded of calls
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "self.url.matches('^https?://[^/?#\\\\s]+([/?#][^\\\\s]*)?$')",
    message = "url must begin with http:// or https:// and a host, without spaces")
@ValidationRule(
    value = "!self.url.matches('^[^/]*//[^/?#]*@')",
    message = "url cannot contain credentials: put them into a Secret, and name it in auth")
@ValidationRule(value = "!self.url.contains('#')", message = "url cannot contain a fragment")
@ValidationRule(
    value =
        "!has(self.headers) || self.headers.all(h,"
            + " self.headers.exists_one(o, o.name.lowerAscii() == h.name.lowerAscii()))",
    message = "headers cannot name a header twice")
@ValidationRule(
    value =
        "!has(self.auth) || !has(self.auth.header) || !has(self.headers)"
            + " || self.headers.all(h, h.name.lowerAscii() != self.auth.header.lowerAscii())",
    message = "a header cannot be in both auth and headers")
@ValidationRule(
    value =
        "!has(self.approvedTools) || size(self.approvedTools) == 0"
            + " || !has(self.approval) || self.approval != 'None'",
    message = "approvedTools requires approval Baseline or Pinned")
public record ToolServerSpec(
    @Required @Size(min = 1, max = Bounds.MAX_TOOL_SERVER_URL) String url,
    @Default("StreamableHttp") Protocol protocol,
    @Default("true") @Nullable Boolean enabled,
    @Default("false") @Nullable Boolean quarantined,
    @Nullable Auth auth,
    @Size(max = 16) @Nullable List<Header> headers,
    @Nullable ToolRules tools,
    @Default("Baseline") Approval approval,
    @Size(max = Bounds.MAX_TOOLS) @Nullable List<ApprovedTool> approvedTools,
    @Default("Shared") Session session,
    @Nullable Limits limits,
    @Nullable Audit audit)
    implements ToolServerSpecBuilder.With {
  /** The name of an HTTP header. */
  static final String HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

  /** Headers that requests have by themselves. */
  static final String OWN =
      "(?i)^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept"
          + "|accept-encoding|last-event-id|mcp-.*|x-assay-.*)$";

  /** A transport of MCP. */
  public enum Protocol {
    /** Streamable HTTP, of MCP 2025-03-26 and later. */
    StreamableHttp,
    /** HTTP with server-sent events, of MCP 2024-11-05. */
    Sse,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** Which definitions of tools can be called. */
  public enum Approval {
    /** Those of the first list, and those in {@code approvedTools}. */
    Baseline,
    /** Those in {@code approvedTools}. */
    Pinned,
    /** Whatever the server lists. */
    None,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** Whose a session of MCP is. */
  public enum Session {
    /** The runs of a namespace share it. */
    Shared,
    /** Each run has its own. */
    PerRun,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** Whether it asks only for what this version has. */
  public boolean understood() {
    return protocol != Protocol.Unknown
        && approval != Approval.Unknown
        && session != Session.Unknown;
  }

  /** Whether no tool can be called because the server is not enabled. */
  public boolean disabled() {
    return Boolean.FALSE.equals(enabled);
  }

  /** Whether no tool can be called because the server is under review. */
  public boolean inQuarantine() {
    return Boolean.TRUE.equals(quarantined);
  }

  /** The headers; empty where there are none. */
  public List<Header> headerList() {
    return headers == null ? List.of() : headers;
  }

  /** Which tools there are. */
  public ToolRules toolRules() {
    return tools == null ? ToolRules.ALL : tools;
  }

  /** The approved definitions; empty where there are none. */
  public List<ApprovedTool> approvedList() {
    return approvedTools == null ? List.of() : approvedTools;
  }

  /** The limits, with defaults. */
  public ServerLimits serverLimits() {
    return limits == null ? Limits.DEFAULT : limits.orDefaults();
  }

  /** Whether records of calls contain their arguments. */
  public boolean recordsArguments() {
    return audit != null && Boolean.TRUE.equals(audit.recordArguments());
  }

  /**
   * A credential. Its Secret is in the namespace that the installation has for them, has the key
   * {@code token}, and says in the annotations {@code assay.dev/hosts} and {@code
   * assay.dev/namespaces} where it may be sent and who may use it.
   *
   * @param secretName a Secret in the credential namespace of the installation. Its key {@code
   *     token} is what is sent; its annotations {@code assay.dev/hosts} and {@code
   *     assay.dev/namespaces} say where, and for whose ToolServers
   * @param header the header that carries it; Authorization when absent
   * @param prefix what is before it in the header; {@code "Bearer "} when absent and the header is
   *     Authorization
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "!has(self.header) || !self.header.matches('" + ToolServerSpec.OWN + "')",
      message = "header cannot be a header of HTTP or MCP that Assay sets")
  public record Auth(
      @Required @Pattern(Bounds.SUBDOMAIN_PATTERN) @Size(min = 1, max = Bounds.MAX_SUBDOMAIN)
          String secretName,
      @Pattern(HEADER_NAME) @Size(min = 1, max = 128) @Nullable String header,
      @Pattern("^[ -~]*$") @Size(max = 64) @Nullable String prefix) {
    private static final String AUTHORIZATION = "Authorization";

    /** The header that carries it. */
    public String headerName() {
      return header == null ? AUTHORIZATION : header;
    }

    /** What is before it in the header; may be empty. */
    public String headerPrefix() {
      if (prefix != null) {
        return prefix;
      }
      return headerName().equalsIgnoreCase(AUTHORIZATION) ? "Bearer " : "";
    }
  }

  /**
   * A header of all requests. Everybody who can read the ToolServer can read it.
   *
   * @param name its name
   * @param value its value, in ASCII
   */
  @RecordBuilder
  @ValidationRule(
      value = "!self.name.matches('" + ToolServerSpec.OWN + "')",
      message = "headers cannot name a header of HTTP or MCP that Assay sets")
  @ValidationRule(
      value = "!self.name.matches('(?i)^(authorization|proxy-authorization|cookie)$')",
      message =
          "headers cannot name Authorization, Proxy-Authorization or Cookie: put credentials into a"
              + " Secret, and name it in auth")
  public record Header(
      @Required @Pattern(HEADER_NAME) @Size(min = 1, max = 128) String name,
      @Required @Pattern("^[ -~]*$") @Size(max = 1024) String value) {}

  /**
   * Which tools of the server there are for runs, and what they may do. In names, {@code *} stands
   * for any characters.
   *
   * @param allow names of tools; all when absent, none when empty
   * @param deny names of tools that are left out even so
   * @param permissions what tools may do, by name, instead of what their annotations say. A tool
   *     that is named itself has that permission, else the highest of the names that match
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value =
          "!has(self.permissions) || self.permissions.all(n, n.size() >= 1 && n.size() <= "
              + Bounds.MAX_TOOL_NAME
              + ")",
      message = "the names in permissions have 1 to " + Bounds.MAX_TOOL_NAME + " characters")
  public record ToolRules(
      @Size(max = 256) @Nullable List<@Size(min = 1, max = Bounds.MAX_TOOL_NAME) String> allow,
      @Size(max = 256) @Nullable List<@Size(min = 1, max = Bounds.MAX_TOOL_NAME) String> deny,
      @Size(max = 256) @Nullable Map<String, ToolPermission> permissions) {
    /** Every tool, with the permission that its annotations say. */
    public static final ToolRules ALL = new ToolRules(null, null, null);

    /** The permissions that replace those of annotations, by name; empty where there are none. */
    public Map<String, ToolPermission> permissionMap() {
      return permissions == null ? Map.of() : permissions;
    }
  }

  /**
   * A definition of a tool that can be called.
   *
   * @param name the tool
   * @param digest the SHA-256 of its definition, in hexadecimal, as status.tools lists it
   */
  @RecordBuilder
  public record ApprovedTool(
      @Required @Size(min = 1, max = Bounds.MAX_TOOL_NAME) String name,
      @Required @Pattern("^[0-9a-f]{64}$") @Size(max = Bounds.DIGEST_HEX) String digest) {}

  /**
   * Limits of a server.
   *
   * @param callTimeoutSeconds how long a call may take; 60 when absent
   * @param concurrentCalls calls at once, of each replica of the gateway; 32 when absent
   * @param tools number of tools: a longer list is refused; 256 when absent
   * @param listBytes bytes of the list of tools, as JSON: a longer list is refused; 4 MiB when
   *     absent
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Limits(
      @Min(1) @Max(Bounds.MAX_TIMEOUT_SECONDS) @Nullable Integer callTimeoutSeconds,
      @Min(1) @Max(256) @Nullable Integer concurrentCalls,
      @Min(1) @Max(Bounds.MAX_TOOLS) @Nullable Integer tools,
      @Min(1024) @Max(16_777_216) @Nullable Integer listBytes) {
    /** The limits of a server that names none. */
    private static final ServerLimits DEFAULT =
        new ServerLimits(Duration.ofSeconds(60), 32, 256, 4 << 20);

    private ServerLimits orDefaults() {
      return new ServerLimits(
          callTimeoutSeconds == null ? DEFAULT.callTimeout : Duration.ofSeconds(callTimeoutSeconds),
          concurrentCalls == null ? DEFAULT.concurrentCalls : concurrentCalls,
          tools == null ? DEFAULT.tools : tools,
          listBytes == null ? DEFAULT.listBytes : listBytes);
    }
  }

  /**
   * Limits of a server, each with a value.
   *
   * @param callTimeout how long a call may take
   * @param concurrentCalls calls at once, of each replica of the gateway
   * @param tools number of tools
   * @param listBytes bytes of the list of tools, as JSON
   */
  public record ServerLimits(Duration callTimeout, int concurrentCalls, int tools, int listBytes) {}

  /**
   * What is recorded of calls.
   *
   * @param recordArguments whether records contain the arguments, as far as they are short; false
   *     when absent
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Audit(@Nullable Boolean recordArguments) {}
}
