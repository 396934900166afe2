// The shape of a picture of the model, as it is laid out when the project is built; not how it is shown.

/** A resource laid out when the project is built; lengths in pixels. */
export interface Picture {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly nodes: readonly {
    readonly name: string
    readonly kind: 'start' | 'state' | 'end'
    /** Its middle. */
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
    /** What changes a resource in this state, and leaves it there. */
    readonly operations: readonly string[]
  }[]
  readonly edges: readonly {
    readonly path: string
    /** The middle of its label. */
    readonly x: number
    readonly y: number
    /** Operations; what happens by itself is none. */
    readonly operations: readonly string[]
  }[]
  /** Operations on the resource that change none of its states. */
  readonly others: readonly string[]
}
