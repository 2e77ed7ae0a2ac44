package source

import (
	"context"
	"io/fs"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Programs runs the commands of plugins, which the engine's own process does: a worker
// asks it to.
type Programs interface {
	// Run returns what a job prints, with the warnings there are also where it fails.
	Run(ctx context.Context, j Job) (Printed, error)
}

// Job is a run of a plugin's commands in a copy of a part of a repository.
type Job struct {
	// Plugin is the plugin's ID.
	Plugin string
	// Finding asks by the plugin's command for that whether it takes the source, which
	// it does if anything is printed; else manifests are printed.
	Finding bool `json:",omitempty"`
	// Tree is the repository; Origin its address and revision.
	Tree   gitops.Tree   `json:"-"`
	Origin gitops.Origin `json:"-"`
	// Path is the source's folder, in which commands run.
	Path string
	// Roots are the files and folders that are copied.
	Roots []string
	// Env are the variables of the source, as NAME=VALUE.
	Env []string `json:",omitempty"`
}

// Printed is what a job printed, and what is to be said of it.
type Printed struct {
	Output   []byte
	Warnings []gitops.Warning
}

// maxJob bounds the texts of a job, in bytes: few systems start a program with more
// variables.
const maxJob = 1 << 20

// Check holds a job against what can be run at all.
func (j Job) Check() error {
	size := len(j.Plugin) + len(j.Path)
	for _, text := range j.Env {
		size += len(text) + 1
	}
	ok := fs.ValidPath(j.Path)
	for _, name := range j.Roots {
		size += len(name) + 1
		ok = ok && fs.ValidPath(name)
	}
	if size > maxJob {
		return gitops.Problemf(gitops.Invalid, "cannot run the plugin: its variables, and the paths that it gets, have more than %d KiB", maxJob>>10).
			Do("shorten plugin.env and plugin.parameters, or the annotation argocd.argoproj.io/manifest-generate-paths")
	}
	if !ok {
		return gitops.Problemf(gitops.Invalid, "cannot run the plugin: a path is none inside a repository").Do("write paths inside the repository")
	}
	return nil
}
