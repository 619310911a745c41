/** How far a backup or a restore is; `share` of the step where it is known. */
export type Progress = (state: { step: string; share?: number }) => void;
