package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// fleetFile takes the mirrors of a LocalFleet file over: those that lie in the
// checkout are followed at both revisions.
func (o *offlineFlags) fleetFile(cfg *offline.Config) error {
	if o.clusters == "" {
		return nil
	}
	at, err := o.name(o.clusters)
	if err != nil {
		return fmt.Errorf("cannot use --clusters: %w", err)
	}
	text, err := at.read(offline.MaxDescription)
	if err != nil || !isLocalFleet(text) {
		return nil //nolint:nilerr // what it is instead is found out later
	}
	file, err := local.Parse(o.clusters, text)
	if err != nil {
		return err
	}
	if file.Former() {
		o.former(o.clusters)
	}
	if o.namespace == "" {
		cfg.Namespace = file.Spec.Namespace
	}
	return o.fleetMirrors(cfg, at, file.Spec.Mirrors)
}

// fleetMirrors takes those mirrors over that no flag names. A file of a
// checkout is its writer's, who gets no folder of this machine by it.
func (o *offlineFlags) fleetMirrors(cfg *offline.Config, at given, mirrors map[string]string) error {
	top, err := offline.Toplevel(o.repo)
	if err != nil {
		return err
	}
	own := flagged(cfg)
	var refused []string
	for _, url := range slices.Sorted(maps.Keys(mirrors)) {
		m, err := fleetMirror(at.path, url, mirrors[url])
		if err != nil {
			return err
		}
		if own[address.Name(m.URL)] {
			continue
		}
		if !at.permits(m) {
			refused = append(refused, fmt.Sprintf("%s (%q)", gitops.PublicAddress(m.URL), mirrors[url]))
			continue
		}
		if err := steady("clusters", m.Path); err != nil {
			return err
		}
		if rel, ok := placeIn(top, m.Path); ok {
			cfg.RepoURLs[m.URL] = rel
		}
		cfg.Mirrors = append(cfg.Mirrors, m)
	}
	return at.refusal(refused)
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

// permits reports whether a file may say that a folder stands for an address.
func (n given) permits(m source.Mirror) bool {
	if n.top == "" {
		return true
	}
	rel, inside, err := bounded.Within(n.top, m.Path)
	return err == nil && inside && !mirror.Private(rel)
}

func (n given) refusal(mirrors []string) error {
	if len(mirrors) == 0 {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "cannot use --clusters %s: its spec.mirrors names folders that do not lie in the checkout %s, or that Git or a local fleet keeps for itself: %s",
		n.path, n.top, strings.Join(mirrors, ", ")).Do("give those that you mean as --mirror URL=PATH; a file of the checkout cannot")
}
