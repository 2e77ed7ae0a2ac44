package plan

import (
	"errors"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Settings are what the installation says of comparisons: which differences
// do not count, which kinds are left alone, and what becomes of drift. The
// zero value says nothing. They do not change.
type Settings struct {
	differences *difference.Settings
	excluded    filter
	drift       []DriftRule
	hidden      []string
	err         error
}

// ParseSettings reads the data of argocd-cm. Where a part cannot be read, the
// error tells which, and no application is compared until it is mended: what
// that part would have protected is not known.
func ParseSettings(data map[string]string) (*Settings, error) {
	var s Settings
	var errs [3]error
	s.differences, errs[0] = difference.ParseSettings(data)
	s.excluded, errs[1] = parseFilter(data)
	s.drift, errs[2] = ParseDrift(data[v1alpha1.SettingDrift])
	if errs[2] != nil {
		errs[2] = gitops.UnreadableSetting(v1alpha1.SettingDrift, errs[2])
	}
	for name := range strings.SplitSeq(data[v1alpha1.SettingHidden], ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.hidden = append(s.hidden, name)
		}
	}
	s.err = errors.Join(errs[:]...)
	return &s, s.err
}

// Hidden are the annotations of Secrets whose values are not shown. There are
// none while nothing was read.
func (s *Settings) Hidden() []string {
	if s == nil {
		return nil
	}
	return s.hidden
}
