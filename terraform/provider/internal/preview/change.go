package preview

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// changed writes each Secret as it will be, and returns the files. Those that
// are there already are known with what others wrote into them.
func changed(dir string, changes types.List, live []unstructured.Unstructured) ([]string, error) {
	var out []string
	for i, v := range changes.Elements() {
		text, _ := v.(types.String)
		secret, err := laid(text.ValueString(), live)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, fmt.Sprintf("change-%d.yaml", i))
		if err := os.WriteFile(file, secret, 0o600); err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	return out, nil
}

// laid is what Terraform applies, over what others wrote into the Secret of that
// name: an apply leaves that there. What is no object in JSON stays as it is.
func laid(change string, live []unstructured.Unstructured) ([]byte, error) {
	o, read := decoded(change)
	if !read {
		return []byte(change), nil
	}
	i := slices.IndexFunc(live, func(s unstructured.Unstructured) bool {
		return s.GetName() == o.GetName() && s.GetNamespace() == o.GetNamespace()
	})
	if i < 0 {
		return []byte(change), nil
	}
	theirs := object.Others(&live[i])
	data, _, err := unstructured.NestedStringMap(o.Object, "stringData")
	if err != nil { // the error itself quotes the value
		return nil, fmt.Errorf("stringData of Secret %s is no map of texts: pass the attribute object of a causeway_cluster, with values that jsonencode made", o.GetName())
	}
	o.SetLabels(over(theirs.GetLabels(), o.GetLabels()))
	o.SetAnnotations(over(object.Annotations(theirs), o.GetAnnotations()))
	o.Object["stringData"] = over(described(theirs), data)
	return json.Marshal(o.Object)
}

// decoded returns the object that a text is, and whether it is one.
func decoded(text string) (unstructured.Unstructured, bool) {
	var o unstructured.Unstructured
	err := json.Unmarshal([]byte(text), &o.Object)
	return o, err == nil
}

// over returns values with those of another map in their place.
func over(values, above map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, values)
	maps.Copy(out, above)
	return out
}
