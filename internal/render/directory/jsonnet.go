package directory

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-jsonnet"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// jsonnet adds the object, or the objects of the array, that a file evaluates to.
func (r *run) jsonnet(name string, text []byte) error {
	imports, err := r.imports()
	if err != nil {
		return err
	}
	if err := r.expand(); err != nil {
		return err
	}
	out, err := evaluation{file: name, text: text, variables: r.variables}.result(imports)
	if imports.problem != nil {
		return imports.problem
	}
	if err != nil {
		return r.unevaluated(name, err)
	}
	if _, err := bounded.CheckUpTo([]byte(out), document.MostValues); err != nil {
		return r.broken(name, &document.Error{Text: "it evaluates to too much: " + err.Error(), Err: err})
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(out), &list) != nil {
		list = []json.RawMessage{json.RawMessage(out)}
	}
	for _, raw := range list {
		docs, err := r.reader().Read(raw)
		if err != nil {
			return r.broken(name, &document.Error{Text: "it evaluates to something else than Kubernetes objects: " + document.AsError(err).Text})
		}
		for _, d := range docs {
			if err := r.add(d.Object, name, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

var lineOfTrace = regexp.MustCompile(`^[^\n]*?:\(?(\d+):`)

func (r *run) unevaluated(name string, err error) error {
	message, trace, _ := strings.Cut(strings.TrimPrefix(err.Error(), "RUNTIME ERROR: "), "\n")
	line := 0
	for _, text := range []string{strings.TrimSpace(trace), message} {
		if m := lineOfTrace.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, name) {
			line, _ = strconv.Atoi(m[1])
			break
		}
	}
	return &gitops.Problem{
		Kind: gitops.Invalid, What: "cannot evaluate Jsonnet file " + name + ": " + message,
		Where: r.source.Tree.Where(name, line), Fix: "correct the file or its variables", Err: err,
	}
}

// imports makes an importer with the library folders of the source.
func (r *run) imports() (*importer, error) {
	imports := &importer{source: r.source, seen: map[string]jsonnet.Contents{}, texts: r.texts}
	if r.source.Spec.Directory == nil {
		return imports, nil
	}
	for _, lib := range r.source.Spec.Directory.Jsonnet.Libs {
		dir, ok := source.Inside(".", lib)
		if !ok {
			return nil, gitops.Problemf(gitops.Invalid, "cannot use Jsonnet library folder %s: it is outside the repository", lib).
				At(r.source.Tree.Where(r.source.Path, 0)).Do("write directory.jsonnet.libs relative to the root of the repository")
		}
		imports.libs = append(imports.libs, dir)
	}
	return imports, nil
}

// expand makes the variables for all files, once there is one that gets them.
func (r *run) expand() (err error) {
	if r.variables == nil {
		r.variables, err = variables(r.source)
	}
	return err
}

// variables are those of a source, with the build environment filled in.
func variables(s *source.Source) ([]variable, error) {
	if s.Spec.Directory == nil {
		return nil, nil
	}
	var out []variable
	add := func(vars []v1alpha1.JsonnetVar, top bool) error {
		for _, v := range vars {
			value, err := s.Expand(v.Value)
			if err != nil {
				return err
			}
			out = append(out, variable{name: v.Name, value: value, code: v.Code, top: top})
		}
		return nil
	}
	if err := add(s.Spec.Directory.Jsonnet.ExtVars, false); err != nil {
		return nil, err
	}
	err := add(s.Spec.Directory.Jsonnet.TLAs, true)
	return out, err
}

// importer finds imports beside the importing file, in the source's folder
// and in the library folders.
type importer struct {
	source *source.Source
	libs   []string
	// seen keeps contents identical for each path, as the interpreter asks.
	seen map[string]jsonnet.Contents
	// texts are those that any file of the source has imported.
	texts map[string][]byte
	// problem is the first import that is there but cannot be read; the
	// interpreter would keep its text alone.
	problem error
}

// Import implements jsonnet.Importer.
func (i *importer) Import(from, name string) (jsonnet.Contents, string, error) {
	file, text, err := i.find(from, name)
	if err != nil {
		return jsonnet.Contents{}, "", err
	}
	c, ok := i.seen[file]
	if !ok {
		c = jsonnet.MakeContentsRaw(text)
		i.seen[file] = c
	}
	return c, file, nil
}

func (i *importer) find(from, name string) (file string, text []byte, err error) {
	folders := append([]string{path.Dir(from), i.source.Path}, i.libs...)
	for _, dir := range folders {
		file, ok := source.Inside(dir, name)
		if !ok {
			continue
		}
		if text, ok := i.texts[file]; ok {
			return file, text, nil
		}
		text, err := i.source.Tree.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			i.problem = source.Missing(source.File{Tree: i.source.Tree, Name: file}, "import", "", err)
			return "", nil, i.problem
		}
		i.texts[file] = text
		return file, text, nil
	}
	return "", nil, errors.New("cannot find import " + name + " beside " + from + " or in the library folders inside the repository")
}
