/**
 * Loaded into each process before the program: time begins at PICTURES_BEGIN, so that every picture shows the same dates. It goes on
 * as it does. PICTURES_BEGAN is when that was on the real clock, in ms.
 */
const began = Number(process.env['PICTURES_BEGAN'])
const offset = Date.parse(process.env['PICTURES_BEGIN'] ?? '') - began

globalThis.Date = new Proxy(Date, {
  construct: (real, args, target) =>
    Reflect.construct(real, args.length === 0 ? [real.now() + offset] : args, target),
  get: (real, name) => (name === 'now' ? () => real.now() + offset : Reflect.get(real, name)),
})
