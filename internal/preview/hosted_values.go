package preview

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hostedValueFile is the reason of a warning about one.
const hostedValueFile = "HostedValueFile"

// hosted warns of value files that an application reads by an address of the
// repository itself: at the host each is as it is now, on both sides, so that a
// change of it does not show.
func hosted(s *State, a *App) []finding {
	if s.Side.Moves == nil {
		return nil
	}
	var out []finding
	for _, source := range a.Spec.GetSources() {
		if source.Helm == nil {
			continue
		}
		for _, name := range source.Helm.ValueFiles {
			if strings.Contains(name, "://") && s.Side.Moves(name, "") {
				out = append(out, hostedFile(a, name))
			}
		}
	}
	return out
}

func hostedFile(a *App, address string) finding {
	return finding{
		subject: a.ID, clusters: []string{a.Cluster.Name}, reason: hostedValueFile,
		message: "value file " + gitops.PublicAddress(address) + " is of the repository itself, and read at its host as it is now: what a change makes of it " +
			"does not show; name it by its path, or with $NAME/ of a source that has the repository by ref",
		origin: gitops.Origin{RepoURL: a.Repo, File: a.Place.File, Line: a.Place.Line},
	}
}
