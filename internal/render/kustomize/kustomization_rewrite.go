package kustomize

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// rewriting is the work on one kustomization file: what it refers to is
// checked, and what lies elsewhere is put onto the disk.
type rewriting struct {
	disk *disk
	// full is the file on the disk, dir its folder; name is the file in its tree.
	full, dir, name string
	mount           *mount
	// written is the file as the repository has it, for lines.
	written []byte
	frame   *frame
	changed bool
	// charts are those of generators, which are rendered with the others.
	charts []chartEntry
}

// rewrite returns the text of a kustomization file as the library may see it.
func (d *disk) rewrite(full string, written []byte) ([]byte, error) {
	m, name, _ := d.in(full)
	r := &rewriting{disk: d, full: full, dir: path.Dir(full), name: name, mount: m, written: written}
	text := written
	if full == d.edited {
		text = d.content
	}
	k, err := r.parse(text)
	if err != nil {
		return nil, err
	}
	r.changed = modernise(k)
	if d.inner && len(k.OpenAPI) > 0 {
		return nil, r.at(lineOf(written, "openapi"), "cannot build %s: it brings its own schema, in a folder of generators, transformers or validators", name).
			Do("write openapi in the kustomization of the application")
	}
	r.frame = d.walk.enter(r.dir, k)
	if d.walk.loads > maxLoads || len(d.walk.frames) > maxNested {
		return nil, d.tooMuch("more than " + strconv.Itoa(maxLoads) + " kustomizations are read, or more than " + strconv.Itoa(maxNested) + " inside one another")
	}
	r.generators(k)
	if err := r.all(k); err != nil {
		return nil, err
	}
	if !r.changed {
		return text, nil
	}
	return yaml.Marshal(k)
}

// parse reads the file as the library does: names of fields are known in any
// case, and others are errors.
func (r *rewriting) parse(text []byte) (*types.Kustomization, error) {
	k := &types.Kustomization{}
	err := r.disk.may(text)
	if err == nil {
		err = k.Unmarshal(text)
	}
	if err == nil {
		return k, nil
	}
	if e := document.Check(text); e != nil {
		return nil, r.at(e.Line, "cannot read kustomization file %s: %s", r.name, e.Text).Do("correct the YAML")
	}
	why := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "invalid Kustomization: "), "json: ")
	var line int
	if _, field, ok := strings.Cut(why, "unknown field "); ok {
		line = lineOf(r.written, strings.Trim(field, `"`)+":")
	}
	return nil, r.at(max(line, 1), "cannot read kustomization file %s: %s", r.name, why).Do("correct the file")
}

// modernise moves deprecated fields to those that took their place, where
// the meaning is the same, because the library writes a line to standard
// error for each. It reports whether there was one.
func modernise(k *types.Kustomization) bool {
	changed := len(k.Bases) > 0 || len(k.ImageTags) > 0 || len(k.CommonLabels) > 0 //nolint:staticcheck // users write the deprecated fields
	k.Resources = append(k.Resources, k.Bases...)                                  //nolint:staticcheck // users write the deprecated fields
	k.Images = append(k.Images, k.ImageTags...)                                    //nolint:staticcheck // users write the deprecated fields
	k.Bases, k.ImageTags = nil, nil                                                //nolint:staticcheck // users write the deprecated fields
	if len(k.CommonLabels) > 0 {                                                   //nolint:staticcheck // users write the deprecated fields
		k.Labels = append(k.Labels, types.Label{Pairs: k.CommonLabels, IncludeSelectors: true}) //nolint:staticcheck // users write the deprecated fields
		k.CommonLabels = nil                                                                    //nolint:staticcheck // users write the deprecated fields
	}
	return changed
}

// all goes through every field that names files or folders.
func (r *rewriting) all(k *types.Kustomization) error {
	for _, step := range []func(*types.Kustomization) error{r.bases, r.files, r.sources, r.patches, r.plugins, r.inflate} {
		if err := step(k); err != nil {
			return err
		}
	}
	return nil
}

// bases goes through what may be a folder.
func (r *rewriting) bases(k *types.Kustomization) error {
	if err := r.each(k.Resources, r.resource); err != nil {
		return err
	}
	return r.each(k.Components, r.folder)
}

func (r *rewriting) files(k *types.Kustomization) error {
	for _, list := range [][]string{k.Crds, k.Configurations} {
		if err := r.each(list, r.file); err != nil {
			return err
		}
	}
	for i := range k.Replacements {
		if err := r.one(&k.Replacements[i].Path, r.file); err != nil {
			return err
		}
	}
	schema, ok := k.OpenAPI["path"]
	if !ok {
		return nil
	}
	err := r.one(&schema, r.file)
	k.OpenAPI["path"] = schema
	return err
}

// sources goes through the files of generated ConfigMaps and Secrets.
func (r *rewriting) sources(k *types.Kustomization) error {
	var all []*types.KvPairSources
	for i := range k.ConfigMapGenerator {
		all = append(all, &k.ConfigMapGenerator[i].KvPairSources)
	}
	for i := range k.SecretGenerator {
		all = append(all, &k.SecretGenerator[i].KvPairSources)
	}
	for _, s := range all {
		if err := errors.Join(r.each(s.FileSources, r.keyed), r.each(s.EnvSources, r.file), r.one(&s.EnvSource, r.file)); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriting) patches(k *types.Kustomization) error {
	for _, list := range [][]types.Patch{k.Patches, k.PatchesJson6902} { //nolint:staticcheck // users write the deprecated fields
		for i := range list {
			if err := r.one(&list[i].Path, r.file); err != nil {
				return err
			}
		}
	}
	for i, p := range k.PatchesStrategicMerge { //nolint:staticcheck // users write the deprecated fields
		text := string(p)
		if inPlace(text) {
			continue
		}
		if err := r.one(&text, r.file); err != nil {
			return err
		}
		k.PatchesStrategicMerge[i] = types.PatchStrategicMerge(text) //nolint:staticcheck // users write the deprecated fields
	}
	return nil
}

// each puts what change makes of an entry into its place.
func (r *rewriting) each(list []string, change func(string) (string, error)) error {
	for i := range list {
		if err := r.one(&list[i], change); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriting) one(entry *string, change func(string) (string, error)) error {
	if *entry == "" {
		return nil
	}
	now, err := change(*entry)
	if err != nil {
		return err
	}
	r.changed = r.changed || now != *entry
	*entry = now
	return nil
}

// resource takes a file or a folder.
func (r *rewriting) resource(entry string) (string, error) {
	if elsewhere(entry) {
		now, err := r.fetch(entry)
		if full := path.Join(r.dir, now); r.disk.placed[full] != nil {
			r.list(full)
		}
		return now, err
	}
	full, info, err := r.local(entry)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return beside(entry), r.child(entry, full)
	}
	r.list(full)
	return beside(entry), r.reach(entry, full)
}

// folder takes a folder alone.
func (r *rewriting) folder(entry string) (string, error) {
	if elsewhere(entry) {
		return r.fetchFolder(entry)
	}
	full, info, err := r.local(entry)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", r.problem(entry, "cannot build %s: component %s is a file", r.name, entry).Do("list the component's folder")
	}
	return beside(entry), r.child(entry, full)
}

// file takes a file alone.
func (r *rewriting) file(entry string) (string, error) {
	if elsewhere(entry) {
		return r.fetchFile(entry)
	}
	full, info, err := r.local(entry)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", r.problem(entry, "cannot build %s: %s is a folder, not a file", r.name, entry).Do("list the file")
	}
	return beside(entry), r.reach(entry, full)
}

// keyed takes a file that may have a key before it.
func (r *rewriting) keyed(entry string) (string, error) {
	key, name, ok := strings.Cut(entry, "=")
	if !ok {
		return r.file(entry)
	}
	if key == "" || name == "" || strings.Contains(name, "=") {
		return "", r.problem(entry, "cannot build %s: %s is no file, and no key with a file", r.name, entry).Do("write file, or key=file")
	}
	name, err := r.file(name)
	return key + "=" + name, err
}

// local finds a file or folder of the same tree.
func (r *rewriting) local(entry string) (string, fs.FileInfo, error) {
	at, ok := source.Inside(path.Dir(r.name), entry)
	if !ok || path.IsAbs(entry) {
		return "", nil, r.problem(entry, "cannot build %s: %s is outside the repository", r.name, entry).Do("write a path inside the repository")
	}
	info, err := r.mount.tree.Stat(at)
	if err != nil {
		err = source.Missing(source.File{Tree: r.mount.tree, Name: at}, "what "+r.name+" lists:", "add it, or correct the path", err)
		return "", nil, r.placedProblem(entry, err)
	}
	return path.Join(r.disk.root(r.mount), at), info, nil
}

func (d *disk) root(m *mount) string {
	return "/" + mountName + strconv.Itoa(slices.Index(d.mounts, m))
}

// child notes a folder that is read next.
func (r *rewriting) child(entry, full string) error {
	if err := r.circle(entry, full); err != nil {
		return err
	}
	r.disk.bases[full] = true
	r.frame.children = append(r.frame.children, full)
	return nil
}

// reach tells why a file may not be read: it lies outside the folder of the
// kustomization, which is refused by default, and always in a repository
// from elsewhere.
func (r *rewriting) reach(entry, full string) error {
	if strings.HasPrefix(full, r.dir+"/") {
		return nil
	}
	if r.mount.repo != "" {
		return r.problem(entry, "cannot build %s: file %s is outside the folder of the kustomization, which is refused in bases from elsewhere", r.name, entry).
			Do("copy the file beside the kustomization, or list a folder with a kustomization")
	}
	if r.disk.flags.anywhere {
		return nil
	}
	return r.problem(entry, "cannot build %s: file %s is outside the folder of the kustomization", r.name, entry).
		Do("move it into the folder, list a folder with a kustomization, or allow it by --load-restrictor LoadRestrictionsNone in " + optionsKey)
}

// inPlace reports whether an entry is no path but YAML itself. What the library
// takes for an address never is, whatever follows: "https://host/a: b" is a
// mapping, too.
func inPlace(entry string) bool {
	if elsewhere(entry) {
		return false
	}
	if strings.Contains(entry, "\n") {
		return true
	}
	if bounded.Repeats([]byte(entry)) {
		return true // no path has an alias in it
	}
	var object map[string]any
	return strings.Contains(entry, ":") && bounded.Unmarshal([]byte(entry), &object) == nil && len(object) > 0
}

func (r *rewriting) at(line int, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, format, args...).At(r.disk.where(r.full, line))
}

// problem is about an entry of the file.
func (r *rewriting) problem(entry, format string, args ...any) *gitops.Problem {
	return r.at(lineOf(r.written, entry), format, args...)
}

// placedProblem gives a Problem that has another place, or none, the entry's.
func (r *rewriting) placedProblem(entry string, err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	moved := *p
	moved.Where = r.disk.where(r.full, lineOf(r.written, entry))
	return &moved
}

// lineOf finds the line that holds a text, 0 when none does.
func lineOf(text []byte, what string) int {
	i := bytes.Index(text, []byte(what))
	if i < 0 || what == "" {
		return 0
	}
	return bytes.Count(text[:i], []byte("\n")) + 1
}
