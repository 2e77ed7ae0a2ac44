package kustomize

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// order is what is asked of the library.
type order struct {
	Root      string
	Reorder   krusty.ReorderOption
	ManagedBy bool
	Anywhere  bool
}

// product is an object that the library built, as JSON, with what it says of
// where the object comes from.
type product struct {
	ID, Kind, Name string
	// File is the path in its origin; empty where it has none.
	File string
	JSON []byte
}

func (d *disk) order() order {
	return order{Root: d.full("."), Reorder: d.flags.reorder, ManagedBy: d.flags.managedBy, Anywhere: d.flags.anywhere}
}

// run has the library build what is on a disk.
func (o order) run(on filesys.FileSystem) ([]product, error) {
	options := krusty.MakeDefaultOptions()
	options.Reorder = o.Reorder
	options.AddManagedbyLabel = o.ManagedBy
	if o.Anywhere {
		options.LoadRestrictions = types.LoadRestrictionsNone
	}
	built, err := krusty.MakeKustomizer(options).Run(on, o.Root)
	if err != nil {
		return nil, err
	}
	return products(built)
}

// products goes by way of JSON as the command does.
func products(built resmap.ResMap) ([]product, error) {
	out := make([]product, 0, built.Size())
	for _, res := range built.Resources() {
		text, err := res.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("cannot read object %s that the kustomization gives: %w", res.CurId(), err)
		}
		p := product{ID: res.CurId().String(), Kind: res.GetKind(), Name: res.GetName(), JSON: text}
		if o, err := res.GetOrigin(); err == nil && o != nil {
			p.File = o.Path
		}
		out = append(out, p)
	}
	return out, nil
}

// manifests turns what was built into objects.
func manifests(d *disk, built []product) ([]gitops.Manifest, error) {
	var out []gitops.Manifest
	if err := d.gather(); err != nil {
		return nil, err
	}
	for _, p := range built {
		if err := d.ctx.Err(); err != nil { // each may be held against all that is listed
			return nil, err
		}
		at := d.place(p)
		var fields map[string]any
		if err := errors.Join(d.source.Values.Check(p.JSON), d.source.Output.Take(len(p.JSON))); err != nil {
			return nil, problem(d.source, "cannot read object %s that the kustomization gives: %w", p.ID, err)
		}
		if err := utiljson.Unmarshal(p.JSON, &fields); err != nil {
			return nil, problem(d.source, "cannot read object %s that the kustomization gives: %w", p.ID, err)
		}
		object := &unstructured.Unstructured{Object: fields}
		if err := d.tidy(object); err != nil {
			return nil, problem(d.source, "cannot read object %s that the kustomization gives: %w", p.ID, err)
		}
		if object.GetKind() == "" {
			return nil, problem(d.source, "cannot read what the kustomization gives: an object has no kind").At(at)
		}
		objects, err := document.Open(object)
		if err != nil {
			return nil, problem(d.source, "cannot read what the kustomization gives: %w", err)
		}
		for _, o := range objects {
			out = append(out, gitops.Manifest{Object: o, Origin: at})
		}
	}
	return out, nil
}
