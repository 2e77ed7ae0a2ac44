package engine

import (
	"encoding/base64"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// files is .Files: the other files of a chart by their path in it.
type files map[string][]byte

func filesOf(from []*common.File) files {
	out := make(files, len(from))
	for _, f := range from {
		out[f.Name] = f.Data
	}
	return out
}

// GetBytes is a file's content; empty where there is none. It is a copy: charts are
// shared among renders, and a template can write into bytes, as by now.AppendFormat.
func (f files) GetBytes(name string) []byte { return append([]byte{}, f[name]...) }

// Get is a file's content as text.
func (f files) Get(name string) string { return string(f[name]) }

// Glob are the files that a pattern matches; one that cannot be read matches all.
func (f files) Glob(pattern string) files {
	out := files{}
	g, err := glob.Compile(pattern, '/')
	for name, data := range f {
		if err != nil || g.Match(name) {
			out[name] = data
		}
	}
	return out
}

// AsConfig are the files as data of a ConfigMap, without their folders.
func (f files) AsConfig() string {
	if f == nil {
		return ""
	}
	data := make(map[string]string, len(f))
	for name, content := range f {
		data[path.Base(name)] = string(content)
	}
	return toYAML(data)
}

// AsSecrets are the files as data of a Secret, without their folders.
func (f files) AsSecrets() string {
	if f == nil {
		return ""
	}
	data := make(map[string]string, len(f))
	for name, content := range f {
		data[path.Base(name)] = base64.StdEncoding.EncodeToString(content)
	}
	return toYAML(data)
}

// Lines are a file's lines.
func (f files) Lines(name string) []string {
	if len(f[name]) == 0 {
		if f[name] != nil {
			panic("the file " + name + " is empty") // Helm has no answer either
		}
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(string(f[name]), "\n"), "\n")
}
