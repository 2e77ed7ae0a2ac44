package telemetry

import (
	"testing"
)

func TestWanted(t *testing.T) {
	cases := map[string]struct {
		reason string
		o      Options
		env    map[string]string
		want   bool
	}{
		"nothing":  {reason: "spans are off by default"},
		"flag":     {reason: "the flag turns them on", o: Options{Endpoint: "http://c:4318"}, want: true},
		"traces":   {reason: "and the one for traces alone", env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, want: true},
		"spelled":  {reason: "in any letters", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_SDK_DISABLED": "True"}},
		"not off":  {reason: "what does not say so turns nothing off", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_SDK_DISABLED": "false", "OTEL_TRACES_EXPORTER": "otlp"}, want: true},
		"variable": {reason: "so does the standard variable", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, want: true},
		"disabled": {reason: "the standard variable turns them off", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_SDK_DISABLED": "true"}},
		"none":     {reason: "the other standard variable, too", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_TRACES_EXPORTER": "none"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.o.Wanted(func(name string) string { return c.env[name] }); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}
