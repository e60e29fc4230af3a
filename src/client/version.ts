/** The version of the packages, which are published together; the library has no package.json to read it from. */
export const version = '0.1.0'
