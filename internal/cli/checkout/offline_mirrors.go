package checkout

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// fleetFile takes the mirrors of a LocalFleet file over: those that lie in the
// checkout are followed at both revisions.
func (o *Flags) fleetFile(cfg *offline.Config) error {
	if o.Clusters == "" {
		return nil
	}
	at, err := o.name(o.Clusters)
	if err != nil {
		return fmt.Errorf("cannot use --clusters: %w", err)
	}
	text, err := at.Read(offline.MaxDescription)
	if err != nil || !isLocalFleet(text) {
		return nil //nolint:nilerr // what it is instead is found out later
	}
	file, err := local.Parse(o.Clusters, text)
	if err != nil {
		return err
	}
	if file.Former() {
		Former(o.Global, o.Clusters)
	}
	if o.Namespace == "" {
		cfg.Namespace = file.Spec.Namespace
	}
	return o.fleetMirrors(cfg, at, file.Spec.Mirrors)
}

// fleetMirrors takes those mirrors over that no flag names. A file of a
// checkout is its writer's, who gets no folder of this machine by it.
func (o *Flags) fleetMirrors(cfg *offline.Config, at command.Given, mirrors map[string]string) error {
	top, err := offline.Toplevel(o.Repo)
	if err != nil {
		return err
	}
	own := flagged(cfg)
	var refused []string
	for _, url := range slices.Sorted(maps.Keys(mirrors)) {
		m, err := fleetMirror(at.Path, url, mirrors[url])
		if err != nil {
			return err
		}
		if own[address.Name(m.URL)] {
			continue
		}
		if !at.Permits(m) {
			refused = append(refused, fmt.Sprintf("%s (%q)", gitops.PublicAddress(m.URL), mirrors[url]))
			continue
		}
		if err := command.Steady("clusters", m.Path); err != nil {
			return err
		}
		if rel, ok := placeIn(top, m.Path); ok {
			cfg.RepoURLs[m.URL] = rel
		}
		cfg.Mirrors = append(cfg.Mirrors, m)
	}
	return at.Refusal(refused)
}

// placeIn is where a folder lies in the checkout, which is read as it is on each
// side of a change: a link may lead to another folder there.
func placeIn(top, folder string) (string, bool) {
	asWritten := filepath.Join(bounded.Real(filepath.Dir(folder)), filepath.Base(folder))
	for _, full := range []string{asWritten, bounded.Real(folder)} {
		if rel, err := filepath.Rel(top, full); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// flagged are the names of the addresses for which flags say what stands.
func flagged(cfg *offline.Config) map[string]bool {
	out := map[string]bool{}
	for _, m := range cfg.Mirrors {
		out[address.Name(m.URL)] = true
	}
	for url := range cfg.RepoURLs {
		out[address.Name(url)] = true
	}
	return out
}

// fleetMirror is a mirror of a file, whose folders count from where the file is.
func fleetMirror(file, url, folder string) (source.Mirror, error) {
	full, err := filepath.Abs(filepath.Join(filepath.Dir(file), folder))
	if err != nil {
		return source.Mirror{}, err
	}
	return source.ParseMirror(url + "=" + full)
}
