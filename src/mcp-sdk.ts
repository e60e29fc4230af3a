/**
 * The parts of the SDK of the Model Context Protocol that the assistant's server and the emulator use. The build makes them one
 * file, which no other command reads.
 */
export type {
  CallToolResult,
  JSONRPCMessage,
  McpHttpHandler,
  ReadResourceResult,
  ServerContext,
  Tool,
  Transport,
} from '@modelcontextprotocol/server'
export {
  completable,
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
