// What a call is sent for where that is not the program itself, and what follows from it; nothing is judged here.

interface Purpose {
  readonly about: string
  /** Its deviations may be findings of the program. Others learn more of the state, tell other runs of this one, or leave the account tidy. */
  readonly counts?: true
  /** Its deviations are laid to the call itself, as those of the program are. */
  readonly isLaidToItself?: true
  /** It may be evidence for the clause that the program is there to show. */
  readonly isEvidence?: true
  /** It is sent when nothing else begins any more. */
  readonly isAtEnd?: true
}

const purposes = {
  survey: { about: 'to know what is there before the run' },
  look: { about: 'to see what a write did', counts: true, isEvidence: true },
  trial: { about: 'to tell whether a quota refused a creation' },
  again: { about: 'to tell whether a creation that was refused is refused again' },
  fill: { about: 'to fill a list' },
  insist: {
    about: 'to tell a missing check from a state that passes: the forbidden call again',
    counts: true,
    isLaidToItself: true,
    isEvidence: true,
  },
  watch: { about: 'to tell a missing check from a state that passes: looks alone' },
  confirm: { about: 'to show a finding again' },
  alive: { about: 'to see whether a target that gave no reply answers other calls, or is one target' },
  settle: { about: 'to know again what replies have told in different ways' },
  mark: { about: 'to let other runs see this one' },
  restore: { about: 'to put fixtures back', counts: true, isLaidToItself: true, isAtEnd: true },
  'clean-up': { about: 'to remove what the program made', counts: true, isAtEnd: true },
  retire: { about: 'to put to rest what cannot be removed', isAtEnd: true },
} as const satisfies Readonly<Record<string, Purpose>>

export type Phase = keyof typeof purposes

export const phases = Object.keys(purposes) as readonly Phase[]

/** What each phase is for, in one sentence. */
export const aboutPhases = Object.entries(purposes)
  .map(([name, { about }]) => `${name}: ${about}`)
  .join('; ')

/** The calls of the program itself. */
const ofProgram: Purpose = { about: 'the program', counts: true, isLaidToItself: true, isEvidence: true }

/** What follows from the phase of a call. */
export const purposeOf = (phase: Phase | undefined): Purpose => (phase === undefined ? ofProgram : purposes[phase])
