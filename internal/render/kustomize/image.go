package kustomize

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// images sets images as kustomize edit set image does: an entry of the same
// name is replaced, where an asterisk keeps what it has.
func (k kustomization) images(s *source.Source, images v1alpha1.KustomizeImages) error {
	have := k.named("images")
	for _, i := range images {
		text, err := s.Expand(string(i))
		if err != nil {
			return err
		}
		entry, ok := parseImage(text)
		if !ok {
			return problem(s, "cannot set image %q: it has neither a new name nor a tag nor a digest", string(i)).
				Do("write [name=]image:tag, or image@digest, in kustomize.images")
		}
		preserve(have.find(entry), entry)
		have.set(entry)
	}
	return nil
}

func preserve(old, entry map[string]any) {
	for _, field := range []string{"newName", "newTag", "digest"} {
		if entry[field] == "*" {
			entry[field] = old[field]
		}
		if entry[field] == "*" || entry[field] == nil {
			delete(entry, field)
		}
	}
}

var imageTag = regexp.MustCompile(`^(.*):([a-zA-Z0-9._-]*|\*)$`)

// parseImage reads [name=]image[:tag][@digest].
func parseImage(text string) (map[string]any, bool) {
	name, image, renamed := strings.Cut(text, "=")
	if !renamed {
		image = text
	}
	entry := map[string]any{}
	rest, digest, hasDigest := strings.Cut(image, "@")
	if hasDigest {
		entry["digest"] = digest
	}
	if m := imageTag.FindStringSubmatch(rest); m != nil {
		rest = m[1]
		entry["newTag"] = m[2]
	}
	if renamed {
		entry["name"], entry["newName"] = name, rest
		return entry, name != "" && rest != ""
	}
	entry["name"] = rest
	return entry, rest != "" && len(entry) > 1
}
