package why

import "testing"

func TestObjectNames(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         objectName
		refused      bool
	}{
		"short":     {reason: "the namespace may be left out", text: "shop/Deployment/web", want: objectName{app: "shop", kind: "Deployment", name: "web"}},
		"whole":     {reason: "it may be given", text: "shop/Deployment/ns/web", want: objectName{app: "shop", kind: "Deployment", namespace: "ns", name: "web"}},
		"no kind":   {reason: "a name alone may mean several", text: "shop/web", refused: true},
		"emptiness": {reason: "a part is missing", text: "shop//web", refused: true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := parseObjectName(c.text)
			if (err != nil) != c.refused || got != c.want {
				t.Errorf("%s: got %+v, %v", c.reason, got, err)
			}
		})
	}
}
