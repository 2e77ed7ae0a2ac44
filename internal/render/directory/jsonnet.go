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
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// maxStack bounds calls inside calls of a Jsonnet program.
const maxStack = 500

// jsonnet adds the object, or the objects of the array, that a file evaluates to.
func (r *run) jsonnet(name string, text []byte) error {
	vm, imports, err := r.machine()
	if err != nil {
		return err
	}
	out, err := vm.EvaluateSnippet(name, string(text)) //nolint:staticcheck // its successors resolve imports from elsewhere, or read the file again
	if imports.problem != nil {
		return imports.problem
	}
	if err != nil {
		return r.unevaluated(name, err)
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(out), &list) != nil {
		list = []json.RawMessage{json.RawMessage(out)}
	}
	for _, raw := range list {
		docs, err := document.Read(raw)
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

// machine makes an interpreter with the variables and library folders of the source.
func (r *run) machine() (*jsonnet.VM, *importer, error) {
	vm := jsonnet.MakeVM()
	vm.MaxStack = maxStack
	imports := &importer{source: r.source, seen: map[string]jsonnet.Contents{}}
	vm.Importer(imports)
	if r.source.Spec.Directory == nil {
		return vm, imports, nil
	}
	spec := r.source.Spec.Directory.Jsonnet
	for _, lib := range spec.Libs {
		dir, ok := source.Inside(".", lib)
		if !ok {
			return nil, nil, gitops.Problemf(gitops.Invalid, "cannot use Jsonnet library folder %s: it is outside the repository", lib).
				At(r.source.Tree.Where(r.source.Path, 0)).Do("write directory.jsonnet.libs relative to the root of the repository")
		}
		imports.libs = append(imports.libs, dir)
	}
	r.set(spec.ExtVars, vm.ExtVar, vm.ExtCode)
	r.set(spec.TLAs, vm.TLAVar, vm.TLACode)
	return vm, imports, nil
}

func (r *run) set(vars []v1alpha1.JsonnetVar, text, code func(name, value string)) {
	for _, v := range vars {
		set := text
		if v.Code {
			set = code
		}
		set(v.Name, r.source.Env.Expand(v.Value))
	}
}

// importer finds imports beside the importing file, in the source's folder
// and in the library folders.
type importer struct {
	source *source.Source
	libs   []string
	// seen keeps contents identical for each path, as the interpreter asks.
	seen map[string]jsonnet.Contents
	// problem is the first import that is there but cannot be read; the
	// interpreter would keep its text alone.
	problem error
}

// Import implements jsonnet.Importer.
func (i *importer) Import(from, name string) (jsonnet.Contents, string, error) {
	folders := append([]string{path.Dir(from), i.source.Path}, i.libs...)
	for _, dir := range folders {
		file, ok := source.Inside(dir, name)
		if !ok {
			continue
		}
		if c, ok := i.seen[file]; ok {
			return c, file, nil
		}
		text, err := i.source.Tree.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			i.problem = source.Missing(source.File{Tree: i.source.Tree, Name: file}, "import", "", err)
			return jsonnet.Contents{}, "", i.problem
		}
		i.seen[file] = jsonnet.MakeContentsRaw(text)
		return i.seen[file], file, nil
	}
	return jsonnet.Contents{}, "", errors.New("cannot find import " + name + " beside " + from + " or in the library folders inside the repository")
}
