/** As much as the SDKs of the protocol read from a server's stdout at once, in bytes; more than that ends their connection. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20 - 1
