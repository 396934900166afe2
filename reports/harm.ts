// How much harm a cause does, read off its id and that of the finding that tells it: what a report tells first.

const ofAccess =
  '(?:token(?:\\.scheme)?|scope\\.[\\w-]+|(?:un)?restricted|granted|[\\w-]*(?:-grant(?:-[\\w-]+)?|writable|owned)|own-target)'

/** The worst first: what each is about, in a few words, and which ids tell of it. */
const harms: readonly { readonly about: string; readonly tells: RegExp }[] = [
  {
    about: 'who may do what',
    tells: new RegExp(`: drops (?:token|scopes|grants) |\\.${ofAccess}:accepted$|:foreign$|\\.no-secret:`),
  },
  {
    about: 'what calls do',
    tells:
      /: (?:takes effect though refused|loses its effect) |:(?:changed|lost)$|\.(?:takes-effect|complete|only-live):/,
  },
  { about: 'which calls are taken', tells: /:(?:accepted|refused|refused-within|server-error|no-reply)$/ },
  { about: 'what replies say', tells: /^(?!.*\.refusal\.)/ },
  { about: 'what refusals say', tells: /^/ },
]

/** The smaller the worse. */
export const harmOf = (cause: string, finding: string): number =>
  harms.findIndex(({ tells }) => tells.test(`${cause} ${finding}`))

/** The order in words; among causes of which all decide the verdict, or none, it is that of harm. */
export const worstFirst = `Those that decide the verdict first, and of these the worst: ${harms.map(({ about }) => about).join(', ')}.`
