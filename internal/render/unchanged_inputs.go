package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// Unaffected tells, without rendering, that two inputs are certain to give
// the same. What the kept rendering of the first one read decides, where
// there is one. Else application, facts and settings have to be the same,
// and nothing that a render could read may differ between their snapshots:
// it looks at what the specs name, folders and value files by their
// digests, the kustomizations that one leads to, overrides. False means
// that it cannot tell: so does a library that breaks on what it looks at.
func (r *Renderer) Unaffected(ctx context.Context, before, after Input) (same bool) {
	err := crew.Safely(func() error { same = r.unaffected(ctx, before, after); return nil })
	return same && err == nil
}

func (r *Renderer) unaffected(ctx context.Context, before, after Input) bool {
	if before.check() != nil || after.check() != nil {
		return false
	}
	if e := r.outline(ctx, before); e != nil {
		return e.err == nil && e.fitting(ctx, after.from(r.remotes), after.key(), after) != nil
	}
	return alike(before, after) && r.sameReads(ctx, before, after, nil)
}

// sameReads reports whether nothing that a render could read differs. What lies
// elsewhere may, unless both read it by the same means, or the addresses are known.
func (r *Renderer) sameReads(ctx context.Context, before, after Input, known *Addresses) bool {
	if slices.EqualFunc(before.Snapshots, after.Snapshots, identical) && sameSnapshots(before.Remotes, after.Remotes) {
		return true
	}
	run := newRun(ctx, before, r.limits, nil)
	run.decrypting(r.decrypt) // what is encrypted may name files, too
	run.discoverers = r.discoverers
	for i, spec := range before.App.Spec.GetSources() {
		if !spec.Renders() {
			continue
		}
		v := survey{ctx: ctx, after: after.Snapshots[i], closed: sameSnapshots(before.Remotes, after.Remotes), addresses: known, decrypt: r.decrypt, seen: map[string]bool{}, charted: map[string]bool{}}
		if before.Snapshots[i] == unread {
			v.source = run.besides(i, spec)
			if _, steady := v.own(); !steady || !v.files() {
				return false
			}
			continue
		}
		s, kind, err := run.prepare(ctx, i, spec)
		if err != nil {
			return false
		}
		if v.source = s; !v.look(kind) {
			return false
		}
	}
	for i, t := range run.trees {
		if !t.Log(run.folders[i]).Holds(after.Snapshots[i]) {
			return false
		}
	}
	return true
}

// alike compares everything of two inputs but snapshots.
func alike(a, b Input) bool {
	key := a.key()
	return key != ([32]byte{}) && key == b.key() && len(a.Snapshots) == len(b.Snapshots) &&
		a.Facts.KubeVersion == b.Facts.KubeVersion && slices.Equal(a.Facts.APIVersions, b.Facts.APIVersions)
}

// identical reports whether two snapshots cannot be told apart.
func identical(a, b *gitops.Snapshot) bool {
	if a == b {
		return true
	}
	root, err := a.Tree.Digest(".")
	other, e := b.Tree.Digest(".")
	return err == nil && e == nil && root == other && a.Revision == b.Revision
}

// sameSnapshots reports whether both read elsewhere by the same means.
func sameSnapshots(a, b Snapshots) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// survey notes in the record of a source everything that its render could
// read, and more. What it does not note is certain to be read by no render:
// where that is not certain, it cannot tell.
type survey struct {
	ctx    context.Context //nolint:containedctx // lives for one look
	source *source.Source
	// after is what the source is compared with.
	after *gitops.Snapshot
	// closed tells that what lies elsewhere is the same for both inputs.
	closed bool
	// addresses tells which ones may lead to something else for each input;
	// nil where that is not known, and all may.
	addresses *Addresses
	decrypt   record.Decrypter
	// seen are folders of kustomizations, charted those of charts.
	seen, charted map[string]bool
}

// steady reports whether an address leads to the same for both inputs.
func (v survey) steady(address string) bool {
	return v.closed || v.addresses != nil && !v.addresses.move(address)
}

// look returns false when it cannot tell what a render reads.
func (v survey) look(kind gitops.SourceType) bool {
	s := v.source
	if mentionsRevision(s.Spec) {
		s.Tree.Revision()
	}
	if _, err := s.Tree.Digest(s.Path); err != nil {
		return false
	}
	switch kind {
	case gitops.SourceHelm:
		return v.helm()
	case gitops.SourceKustomize:
		return v.kustomize()
	case gitops.SourceDirectory:
		return v.directory()
	default: // a plugin may read anything: of a tree that is the same, the same
		_, steady := v.own()
		return steady && v.addresses != nil && v.settled()
	}
}

// own is what the spec says to Kustomize and to plugins, as JSON has it, and whether
// no address in it may lead to something else.
func (v survey) own() (value []any, steady bool) {
	text, err := json.Marshal([]any{v.source.Spec.Kustomize, v.source.Spec.Plugin})
	if err != nil || json.Unmarshal(text, &value) != nil {
		return nil, false
	}
	return value, !v.elsewhere(value) && !v.hints(value[1])
}

// mentionsRevision reports whether the spec, with its overrides, may use the
// build environment's revision.
func mentionsRevision(spec v1alpha1.ApplicationSource) bool {
	text, err := json.Marshal(spec)
	return err != nil || bytes.Contains(text, []byte("ARGOCD_APP_REVISION"))
}

// whole notes the tree as a whole.
func (v survey) whole() bool {
	_, err := v.source.Tree.Digest(".")
	return err == nil
}

// helm notes value files and file parameters; charts beside the own one
// make the whole tree count.
func (v survey) helm() bool {
	s := v.source
	found, err := v.dependencies(s.Path)
	if err != nil || found.moves {
		return false
	}
	if found.local() && !v.beside() {
		return false
	}
	return v.files()
}

// beside notes all that charts beside the own one may read, and depend on in turn.
func (v survey) beside() bool {
	if v.addresses == nil {
		return v.closed && v.whole()
	}
	return v.settled()
}

// files notes value files and file parameters, which other sources may have.
func (v survey) files() bool {
	s := v.source
	if s.Spec.Helm == nil {
		return true
	}
	for _, name := range s.Spec.Helm.ValueFiles {
		// What looks like an address may be a file all the same: it is noted.
		if strings.Contains(name, "://") && !v.steady(name) || !v.file(name) {
			return false
		}
	}
	for _, p := range s.Spec.Helm.FileParameters {
		if !v.file(p.Path) {
			return false
		}
	}
	return true
}

// file notes a file, or for a pattern the folder that it looks into.
func (v survey) file(name string) bool {
	f, err := v.source.Locate(name)
	if err != nil {
		return false
	}
	at := f.Name
	if i := strings.IndexAny(at, `*?[{\`); i >= 0 {
		at = path.Dir(at[:i] + "x")
	}
	_, err = f.Tree.Digest(at)
	return err == nil || errors.Is(err, fs.ErrNotExist) // that nothing is there is noted, too
}

// document reads a file as a render does, decrypted.
func (v survey) document(name string) (doc map[string]any, err error) {
	text, err := v.source.Tree.ReadFile(name)
	if err == nil {
		err = bounded.Unmarshal(text, &doc)
	}
	return doc, err
}

// fields are the values of fields, whose names are known in any case.
func fields(doc map[string]any, names ...string) (out []any) {
	for key, value := range doc {
		if value != nil && slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, key) }) {
			out = append(out, value)
		}
	}
	return out
}

// texts are those in a value, without the keys.
func texts(value any) (out []string) {
	switch x := value.(type) {
	case map[string]any:
		for _, below := range x {
			out = append(out, texts(below)...)
		}
	case []any:
		for _, below := range x {
			out = append(out, texts(below)...)
		}
	case string:
		out = append(out, x)
	}
	return out
}

// keysOf are those of all maps in a value.
func keysOf(value any) (out []string) {
	switch x := value.(type) {
	case map[string]any:
		for key, below := range x {
			out = append(append(out, key), keysOf(below)...)
		}
	case []any:
		for _, below := range x {
			out = append(out, keysOf(below)...)
		}
	}
	return out
}

// directory makes the whole tree count where Jsonnet may import anything.
func (v survey) directory() bool {
	jsonnet := false
	err := fs.WalkDir(walk.Over(v.ctx, v.source.Tree.Unrecorded()), v.source.Path, func(name string, _ fs.DirEntry, err error) error {
		jsonnet = jsonnet || strings.HasSuffix(name, "sonnet")
		return err
	})
	if err != nil {
		return false
	}
	return !jsonnet || v.whole()
}

// kustomize follows the paths of kustomizations, beginning with the
// source's; what is beyond a plain one makes the whole tree count. Of an
// address that leads to something else no tree tells.
func (v survey) kustomize() bool {
	s := v.source
	plain := !strings.Contains(s.Settings.BuildOptions, "LoadRestrictionsNone") && (v.addresses != nil || !strings.Contains(s.Settings.BuildOptions, "helm")) &&
		!strings.Contains(s.Settings.BuildOptions, "plugin") && !strings.Contains(s.Settings.BuildOptions, "exec")
	own, steady := v.own()
	if !steady {
		return false
	}
	err := errUnfollowed
	if plain {
		err = v.follow(s.Path, 0)
	}
	if err == nil {
		err = v.references(s.Path, own, 0)
	}
	if err == nil {
		return true
	}
	return !errors.Is(err, errMoves) && v.settled()
}

var (
	// errMoves is of an address that may lead to something else for each input.
	errMoves = errors.New("an address may lead to something else")
	// errUnfollowed is of what cannot be followed, wherever it leads.
	errUnfollowed = errors.New("what is read cannot be told")
)

const (
	// maxBases is how deep bases are followed.
	maxBases = 32
	// maxSurveyed bounds the folders that are looked at.
	maxSurveyed = 500
)

// unfollowed are fields of a kustomization whose files may name more files.
var unfollowed = []string{"generators", "transformers", "validators", "openapi", "configurations", "crds"}

// inflated are fields that bring charts in, which are from elsewhere, or in a folder that is named.
var inflated = []string{"helmCharts", "helmChartInflationGenerator", "helmGlobals"}

// follow notes a folder of a kustomization and everything that it names.
func (v survey) follow(dir string, depth int) error {
	if v.seen[dir] {
		return nil
	}
	tree := v.source.Tree
	// What lies beside a link depends on how it is followed.
	if depth > maxBases || len(v.seen) >= maxSurveyed || linked(tree.Unrecorded(), dir) {
		return errUnfollowed
	}
	v.seen[dir] = true
	if _, err := tree.Digest(dir); err != nil {
		return err
	}
	for _, base := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		doc, err := v.document(path.Join(dir, base))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is noted with the folder
		}
		if err == nil {
			err = v.kustomization(dir, doc, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v survey) kustomization(dir string, doc map[string]any, depth int) error {
	if v.elsewhere(doc) {
		return errMoves
	}
	if len(fields(doc, unfollowed...)) > 0 || v.addresses == nil && len(fields(doc, inflated...)) > 0 {
		return errUnfollowed
	}
	if err := v.charts(dir, doc, depth); err != nil {
		return err
	}
	return v.references(dir, doc, depth)
}

// linked reports whether a folder is reached through a symbolic link.
func linked(tree gitops.Tree, dir string) bool {
	for dir != "." {
		list, err := tree.ReadDir(path.Dir(dir))
		if err != nil {
			return true
		}
		for _, e := range list {
			if e.Name() == path.Base(dir) && e.Type()&fs.ModeSymlink != 0 {
				return true
			}
		}
		dir = path.Dir(dir)
	}
	return false
}

// references notes each text in a value that names a file or folder, seen
// from a folder: more than Kustomize reads, and nothing less.
func (v survey) references(dir string, value any, depth int) error {
	for _, text := range texts(value) {
		if err := v.reference(dir, text, depth); err != nil {
			return err
		}
		if _, afterKey, _ := strings.Cut(text, "="); afterKey != "" {
			if err := v.reference(dir, afterKey, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// reference notes a text as a name. Any can be one, a long one and one with
// lines or patterns, too: a patch in place is noted as missing.
func (v survey) reference(dir, name string, depth int) error {
	full, ok := source.Inside(dir, name)
	if !ok {
		return nil // Kustomize refuses it, whatever the tree has
	}
	info, err := v.source.Tree.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // noted as missing
	case err != nil:
		return err
	case info.IsDir():
		return v.follow(full, depth+1)
	case record.Below(full, dir):
		return nil // in the folder, which is noted
	}
	_, err = v.source.Tree.Digest(full)
	return err
}

// address is how a text begins that Kustomize may fetch, where it has neither
// slashes nor git in it.
var address = regexp.MustCompile(`(?i)(^|=)(https?:|[a-z][a-z0-9-]*@)`)

// elsewhere reports whether a text in a value may be an address that is not steady.
func (v survey) elsewhere(value any) bool {
	return slices.ContainsFunc(texts(value), func(text string) bool { return isAddress(text) && !v.steady(text) })
}

// isAddress reports whether a text may be one.
func isAddress(text string) bool {
	return strings.Contains(text, "//") || strings.Contains(text, "?ref=") || strings.Contains(text, "git@") ||
		strings.HasPrefix(strings.ToLower(text), "git") || address.MatchString(text)
}
