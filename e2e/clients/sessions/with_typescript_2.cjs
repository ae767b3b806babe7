// @modelcontextprotocol/client
'use strict';
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
const { serve } = require('./session.cjs');

serve({ Client, StdioClientTransport, StreamableHTTPClientTransport }, (client, given, options) =>
  client.callTool(given, options),
);
