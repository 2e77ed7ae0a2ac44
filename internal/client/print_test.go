package client

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestClientsPrintNoToken: a token is in no text that is made of a client without thinking of it.
func TestClientsPrintNoToken(t *testing.T) {
	const planted = "hunter2"
	o := Options{Server: "https://causeway.example.com", Token: planted, Agent: "test"}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"options": o, "pointer": &o, "inside": struct{ Of Options }{o}, "client": c} {
		var logged bytes.Buffer
		slog.New(slog.NewTextHandler(&logged, nil)).Info("it", "value", v)
		ways := map[string]string{"%v": fmt.Sprintf("%v", v), "%+v": fmt.Sprintf("%+v", v), "%#v": fmt.Sprintf("%#v", v), "slog": logged.String()}
		if name != "inside" { // encoding/json asks no struct how it is logged
			var inJSON bytes.Buffer
			slog.New(slog.NewJSONHandler(&inJSON, nil)).Info("it", "value", v)
			ways["slog in JSON"] = inJSON.String()
		}
		for way, text := range ways {
			if strings.Contains(text, planted) || !strings.Contains(text, "causeway.example.com") {
				t.Errorf("%s by %s: %s", name, way, text)
			}
		}
	}
}
