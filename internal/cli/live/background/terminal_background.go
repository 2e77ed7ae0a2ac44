// Package background has no library ask the terminal for the colour of its
// background. One that does not answer, as that of a recorder or of a pipeline,
// would hold each command up for five seconds, and each display again. The
// colours in use can be read on both.
package background

import "github.com/charmbracelet/lipgloss"

// The display's library asks while it is initialized. Packages that are ready
// are initialized in the order of their paths, so this one comes before it.
func init() { lipgloss.SetHasDarkBackground(true) } //nolint:gochecknoinits // the other one is
