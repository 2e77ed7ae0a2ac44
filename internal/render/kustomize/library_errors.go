package kustomize

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

func problem(s *source.Source, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, format, args...).At(s.Tree.Where(s.Path, 0))
}

// maxText bounds what is told of the library's long errors.
const maxText = 1000

// buildProblem prefers what the disk saw to the library's long text.
func buildProblem(d *disk, err error) error {
	if d.problem != nil {
		return d.problem
	}
	if ctxErr := d.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if strings.Contains(err.Error(), "already defined at line") {
		if p := d.repeated(); p != nil {
			return p
		}
	}
	text := d.readable(strings.Join(strings.Fields(err.Error()), " "))
	for _, known := range knownErrors {
		if m := known.pattern.FindStringSubmatch(text); m != nil {
			p := problem(d.source, known.what, m[1])
			p.Err = err
			return p.Do(known.fix)
		}
	}
	p := problem(d.source, "cannot build the kustomization: %s", gitops.First(text, maxText))
	p.Err = err
	return p.Do("correct the kustomization; kustomize build " + path.Clean(d.source.Path) + " shows the same")
}

// knownErrors of the library that can be told shorter.
var knownErrors = []struct {
	pattern   *regexp.Regexp
	what, fix string
}{
	{
		regexp.MustCompile(`may not add resource with an already registered id: (\S+)`),
		"cannot build the kustomization: %s is listed twice",
		"take one of the two out of resources, or give them different names by namePrefix, or namespaces",
	},
	{
		regexp.MustCompile(`unable to load external plugin '?([^' ]+)`),
		"cannot build the kustomization: %s is a plugin that runs a program, which is not done here",
		"use a generator or transformer that Kustomize has built in; --enable-alpha-plugins and --enable-exec have no effect",
	},
}

var onDisk = regexp.MustCompile(`(?:\.\./)*/?` + mountName + `(\d+)(/|\b)|\` + placedFolder + `\d+/`)

// readable replaces the disk's paths by those that people know.
func (d *disk) readable(text string) string {
	return onDisk.ReplaceAllStringFunc(strings.ReplaceAll(text, here, ""), func(found string) string {
		m := onDisk.FindStringSubmatch(found)
		n, err := strconv.Atoi(m[1])
		if err != nil || n >= len(d.mounts) {
			return ""
		}
		at := d.mounts[n]
		if at.repo == "" {
			return ""
		}
		return public(at.repo) + "//"
	})
}
