// How much harm a cause does, read off its id and that of the finding that tells it: what a report tells first.

const ofAccess = '(?:token(?:\\.scheme)?|scope\\.[\\w-]+|(?:un)?restricted|granted|[\\w-]*(?:-grant|writable|owned))'

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
  { about: 'which calls are taken', tells: /:(?:accepted|refused|refused-within|server-error)$/ },
  { about: 'what replies say', tells: /^(?!.*\.refusal\.)/ },
  { about: 'what refusals say', tells: /^/ },
]

/** The smaller the worse. */
export const harmOf = (cause: string, finding: string): number =>
  harms.findIndex(({ tells }) => tells.test(`${cause} ${finding}`))

/** The order in words. */
export const worstFirst = `The worst first: ${harms.map(({ about }) => about).join(', ')}.`
