type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T]

/** The fields of `T` that may be null are optional, and never null. */
export type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> }

/** Leaves out what is null: a field that the reference does not call "or null" is absent when there is nothing. */
export function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(known) as WithoutNulls<T>
}
