/** The height of the head that stays at the top of the window, in px, and a little air. */
export const belowHead = 64;
