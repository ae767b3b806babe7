package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.ToolServerSpec.Header;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.cli.local.McpServerEntry.Program;
import dev.assay.cli.local.McpServerEntry.Remote;
import dev.assay.cli.local.ServerHeaders.Credential;
import dev.assay.frontend.config.InvalidConfigException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class McpServerEntriesTest {
  private static final Variables VARIABLES =
      new Variables(Map.of("TOKEN", "secret-token", "DIR", "/data"));

  private static List<McpServerEntry> parse(String json) {
    return new McpServerEntries(VARIABLES).parse(JsonMapper.shared().readTree(json));
  }

  @Test
  void serversOfHttpAreReadAsClientsWriteThem() {
    assertThat(
            parse(
                """
                {"store": {"url": "https://example.com/mcp"},
                 "github": {"type": "http", "url": "https://api.example.com/mcp/",
                            "headers": {"Authorization": "Bearer ${TOKEN}"}},
                 "old": {"protocol": "SSE", "url": "http://localhost:8000/sse",
                         "enabled": false, "quarantined": true}}
                """))
        .containsExactly(
            new Remote(
                "store",
                true,
                false,
                "https://example.com/mcp",
                Protocol.StreamableHttp,
                ServerHeaders.NONE),
            new Remote(
                "github",
                true,
                false,
                "https://api.example.com/mcp/",
                Protocol.StreamableHttp,
                new ServerHeaders(
                    new Credential("Authorization", "Bearer ", "secret-token"), List.of())),
            new Remote(
                "old", false, true, "http://localhost:8000/sse", Protocol.Sse, ServerHeaders.NONE));
  }

  @Test
  void programsAreReadWithTheirArgumentsAndVariables() {
    assertThat(
            parse(
                """
                {"files": {"command": "npx", "args": ["-y", "server", "${env:DIR}"],
                           "env": {"KEY": "${TOKEN}", "LEVEL": "${LEVEL:-info}"},
                           "cwd": "/work", "disabled": true}}
                """))
        .containsExactly(
            new Program(
                "files",
                false,
                false,
                List.of("npx", "-y", "server", "/data"),
                Map.of("KEY", "secret-token", "LEVEL", "info"),
                Path.of("/work")));
  }

  @Test
  void aListOfServersWithNamesIsReadToo() {
    assertThat(
            parse(
                "[{\"name\": \"a\", \"url\": \"http://a/\"}, {\"name\": \"b\", \"command\": \"b\"}]"))
        .extracting(McpServerEntry::name)
        .containsExactly("a", "b");
    assertThat(parse("null")).isEmpty();
  }

  @Test
  void ofSeveralHeadersTheOneThatIsNamedLikeACredentialIsOne() {
    Remote entry =
        (Remote)
            parse(
                    """
                    {"a": {"url": "http://a/", "headers": {"X-Toolsets": "repos", "Accept": "*/*",
                           "X-Api-Key": "secret-key"}}}
                    """)
                .getFirst();

    assertThat(entry.headers())
        .isEqualTo(
            new ServerHeaders(
                new Credential("X-Api-Key", "", "secret-key"),
                List.of(new Header("X-Toolsets", "repos"))));
  }

  @Test
  void noCredentialIsInTheTextOfAnEntry() {
    assertThat(
            parse(
                """
                {"a": {"url": "http://a/", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                 "b": {"command": "b", "args": ["${TOKEN}"], "env": {"KEY": "${TOKEN}"}}}
                """))
        .noneMatch(entry -> entry.toString().contains("secret"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "1|mcpServers: must be an object, such as {\"store\": {\"url\": \"https://example.com/mcp\"}}",
        "{\"My_Server\": {}}|mcpServers: 'My_Server' cannot be the name of a server: it has 1 to 63"
            + " lower-case letters, digits and hyphens, and no hyphen at its ends",
        "[{\"url\": \"http://a/\"}]|mcpServers: '' cannot be the name of a server: it has 1 to 63"
            + " lower-case letters, digits and hyphens, and no hyphen at its ends",
        "{\"a\": 1}|mcpServers.a: must be an object with url or command",
        "{\"a\": {}}|mcpServers.a: must have either url or command",
        "{\"a\": {\"url\": \"http://a/\", \"command\": \"a\"}}|mcpServers.a: must have either url or"
            + " command",
        "{\"a\": {\"uri\": \"http://a/\"}}|mcpServers.a: unknown field 'uri'; the fields are args,"
            + " command, cwd, disabled, enabled, env, headers, protocol, quarantined, type, url",
        "{\"a\": {\"url\": \"ftp://a/\"}}|mcpServers.a.url: must be a URL that begins with http:// or"
            + " https:// and a host",
        "{\"a\": {\"url\": \"http://u:p@a/\"}}|mcpServers.a.url: cannot have credentials or a"
            + " fragment: use headers",
        "{\"a\": {\"url\": \"\"}}|mcpServers.a.url: must be a text that is not empty",
        "{\"a\": {\"url\": \"http://a/\", \"type\": \"ws\"}}|mcpServers.a.type: must be http, sse or"
            + " stdio",
        "{\"a\": {\"url\": \"http://a/\", \"type\": \"stdio\"}}|mcpServers.a.url: is for servers of"
            + " type http or sse, not stdio",
        "{\"a\": {\"command\": \"a\", \"type\": \"sse\"}}|mcpServers.a.command: is for servers of type"
            + " stdio, not sse",
        "{\"a\": {\"url\": \"http://a/\", \"type\": \"sse\", \"protocol\": \"http\"}}|"
            + "mcpServers.a.protocol: contradicts type",
        "{\"a\": {\"url\": \"http://a/\", \"env\": {}}}|mcpServers.a.env: cannot be used with url",
        "{\"a\": {\"command\": \"a\", \"headers\": {}}}|mcpServers.a.headers: cannot be used with"
            + " command",
        "{\"a\": {\"command\": \"a\", \"args\": [1]}}|mcpServers.a.args: must be a list of texts",
        "{\"a\": {\"command\": \"a\", \"env\": {\"N\": 1}}}|mcpServers.a.env.N: must be a text",
        "{\"a\": {\"command\": \"a\", \"env\": {\"N\": \"${NONE}\"}}}|mcpServers.a.env.N: environment"
            + " variable NONE is not set",
        "{\"a\": {\"command\": \"a\", \"env\": {\"N=\": \"1\"}}}|mcpServers.a.env: 'N=' cannot be the"
            + " name of a variable",
        "{\"a\": {\"command\": \"a\", \"cwd\": \"/\\u0000\"}}|mcpServers.a.cwd: cannot contain the"
            + " character NUL",
        "{\"a\": {\"url\": \"http://a/\", \"enabled\": 1}}|mcpServers.a.enabled: must be true or false",
        "{\"a\": {\"url\": \"http://a/\", \"headers\": {\"X-Key\": \"short\"}}}|mcpServers.a.headers:"
            + " the credential in X-Key must have at least 8 characters",
        "{\"a\": {\"url\": \"http://a/\", \"headers\": {\"X-Key\": \"a b\\nc\"}}}|mcpServers.a.headers:"
            + " X-Key must have visible ASCII characters only",
        "{\"a\": {\"url\": \"http://a/\", \"headers\": {\"X-Key\": \"12345678\", \"X-Token\":"
            + " \"12345678\"}}}|mcpServers.a.headers: a server can have one credential, and both X-Key"
            + " and X-Token are named like one",
        "[{\"name\": \"a\", \"command\": \"a\"}, {\"name\": \"a\", \"command\": \"b\"}]|mcpServers.a: is"
            + " there twice",
      })
  void whatIsWrongIsNamed(String json, String message) {
    assertThatThrownBy(() -> parse(json))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(message);
  }
}
