// Package table prints: tables that fit a page, values as JSON and YAML, and the cells that several commands have.
package table
