package helm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// lockedVersions has one version a dependency: the locked one, or without a
// lock the one asked for. As in helm dependency build, a lock that was made
// for other dependencies is an error.
func lockedVersions(ch *chart.Chart, at source.File) ([]string, error) {
	wanted := ch.Metadata.Dependencies
	out := make([]string, len(wanted))
	for i, d := range wanted {
		out[i] = d.Version
	}
	if ch.Lock == nil {
		return out, nil
	}
	if !inSync(wanted, ch.Lock) {
		return nil, gitops.Problemf(gitops.Invalid, "cannot build the dependencies of chart %s: Chart.lock was made for other dependencies than Chart.yaml has", ch.Name()).
			At(at.Where(0)).Do("run helm dependency update and commit Chart.lock")
	}
	for i, d := range wanted {
		if l := lockOf(d, i, ch.Lock.Dependencies); l != nil {
			out[i] = l.Version
		}
	}
	return out, nil
}

// lockOf finds the entry of a dependency: that at the same place, as one
// chart may be there twice.
func lockOf(d *chart.Dependency, at int, locked []*chart.Dependency) *chart.Dependency {
	same := func(l *chart.Dependency) bool { return l != nil && l.Name == d.Name && l.Repository == d.Repository }
	if at < len(locked) && same(locked[at]) {
		return locked[at]
	}
	for _, l := range locked {
		if same(l) {
			return l
		}
	}
	return nil
}

// inSync compares the lock's digest, in the form of today's Helm and in that
// of Helm 2. A lock that somebody wrote without one is believed.
func inSync(wanted []*chart.Dependency, lock *chart.Lock) bool {
	return lock.Digest == "" ||
		lock.Digest == digestOf([2][]*chart.Dependency{wanted, lock.Dependencies}) ||
		lock.Digest == digestOf(map[string][]*chart.Dependency{"dependencies": wanted})
}

func digestOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
