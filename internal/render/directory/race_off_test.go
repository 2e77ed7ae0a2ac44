//go:build !race

package directory

const raced = false
