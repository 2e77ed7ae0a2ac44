package object

import (
	"cmp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// swap is an image in place of another; one of them may be empty.
type swap struct{ old, head string }

// gallery joins the image changes of objects.
type gallery map[swap]map[string]bool

// add finds the images of an object that change, container by container.
func (g gallery) add(p pair) {
	old, head := imagesOf(p.before), imagesOf(p.after)
	object := p.key.Kind + "/" + p.key.Name
	for container, was := range old {
		if is := head[container]; is != was {
			g.note(swap{was, is}, object)
		}
	}
	for container, is := range head {
		if _, was := old[container]; !was {
			g.note(swap{"", is}, object)
		}
	}
}

func (g gallery) note(s swap, object string) {
	if g[s] == nil {
		g[s] = map[string]bool{}
	}
	g[s][object] = true
}

func (g gallery) sorted() []forecast.Image {
	var out []forecast.Image
	for s, objects := range g {
		image := forecast.Image{Old: s.old, New: s.head}
		for o := range objects {
			image.Objects = append(image.Objects, o)
		}
		slices.Sort(image.Objects)
		out = append(out, image)
	}
	slices.SortFunc(out, func(a, b forecast.Image) int {
		return cmp.Or(cmp.Compare(cmp.Or(a.New, a.Old), cmp.Or(b.New, b.Old)), cmp.Compare(a.Old, b.Old))
	})
	return out
}

// noImages are kinds whose texts and schemas may look like containers.
var noImages = map[string]bool{"ConfigMap": true, "Secret": true, "CustomResourceDefinition": true}

// imagesOf finds the images of the containers in an object, pods or not, by
// the place and name of the container.
func imagesOf(p *prepared) map[string]string {
	out := map[string]string{}
	if p == nil || noImages[p.key()] {
		return out
	}
	findImages(out, "", p.object, 0)
	return out
}

func (p *prepared) key() string { return p.manifest.Object.GetKind() }

func findImages(out map[string]string, path string, v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			below := treediff.Join(path, "."+treediff.Step(key))
			if container, ok := child.(map[string]any); ok && (key == "container" || key == "script") {
				noteImage(out, below, container)
			}
			if list, ok := child.([]any); ok && holdsContainers(key) {
				containers(out, below, list)
			}
			findImages(out, below, child, depth+1)
		}
	case []any:
		for i, child := range v {
			findImages(out, treediff.Join(path, "["+treediff.Step(itemName(child, i))+"]"), child, depth+1)
		}
	}
}

// holdsContainers knows the fields of pods, and those of custom resources
// that are like them: sidecars, steps of a task.
func holdsContainers(key string) bool {
	return strings.HasSuffix(strings.ToLower(key), "containers") || key == "sidecars" || key == "steps"
}

func containers(out map[string]string, path string, list []any) {
	for i, item := range list {
		if container, ok := item.(map[string]any); ok {
			noteImage(out, path+"["+itemName(item, i)+"]", container)
		}
	}
}

func noteImage(out map[string]string, path string, container map[string]any) {
	if image, ok := container["image"].(string); ok && image != "" {
		out[path] = image
	}
}

func itemName(v any, i int) string {
	if name, ok := at(v, "name").(string); ok {
		return name
	}
	return index(i)
}
