package kustomize

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// product is an object that the library built, as JSON, with what it says of
// where the object comes from.
type product struct {
	ID, Kind, Name string
	// File is the path in its origin; empty where it has none.
	File string
	JSON []byte
}

// run has the library build what is on the disk. A panic of the library is its error.
func (d *disk) run() (built []product, err error) {
	defer func() {
		if p := recover(); p != nil {
			built, err = nil, fmt.Errorf("the library gave up: %v", p)
		}
	}()
	options := krusty.MakeDefaultOptions()
	options.Reorder = d.flags.reorder
	options.AddManagedbyLabel = d.flags.managedBy
	if d.flags.anywhere {
		options.LoadRestrictions = types.LoadRestrictionsNone
	}
	objects, err := krusty.MakeKustomizer(options).Run(d, d.full("."))
	if err != nil {
		return nil, err
	}
	return products(objects)
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
