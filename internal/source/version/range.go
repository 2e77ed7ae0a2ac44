package version

import "github.com/Masterminds/semver/v3"

// Pick finds the newest version that a range allows among those that it is
// offered, one after the other.
type Pick struct {
	within *semver.Constraints
	best   *semver.Version
}

// Within makes a Pick; nil where the text is no range.
func Within(text string) *Pick {
	if len(text) > longest {
		return nil
	}
	c, err := semver.NewConstraint(text)
	if err != nil {
		return nil
	}
	return &Pick{within: c}
}

// Offer looks at one version. Those that are no semantic versions are passed
// over, and pre-releases too unless the range names one.
func (p *Pick) Offer(text string) {
	v := parse(text)
	if v == nil || !p.within.Check(v) {
		return
	}
	if p.best == nil || newer(v, p.best) {
		p.best = v
	}
}

// Best is the newest one so far.
func (p *Pick) Best() (string, bool) {
	if p.best == nil {
		return "", false
	}
	return p.best.Original(), true
}
