package engine

import (
	"fmt"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// printf is fmt.Sprintf within the limits: widths and repeated arguments make
// much of little.
func (s *state) printf(format string, args ...any) (string, error) {
	size, err := s.measure(args...)
	if err != nil {
		return "", err
	}
	if err := s.fits(bounded.Formatted(format, size, args...)); err != nil {
		return "", err
	}
	return s.made(fmt.Sprintf(format, args...), nil)
}
