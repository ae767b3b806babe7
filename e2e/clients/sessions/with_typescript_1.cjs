// @modelcontextprotocol/sdk
'use strict';
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const {
  StreamableHTTPClientTransport,
} = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { serve } = require('./session.cjs');

serve({ Client, StdioClientTransport, StreamableHTTPClientTransport }, (client, given, options) =>
  client.callTool(given, undefined, options),
);
