#include "decision_log/path_words.h"

#include <stdlib.h>

/* In the order of bytes. Of few letters and many meanings: what a model would have to spell with them is not here. */
static const char *const words[] = {
    "about", "accepted", "access", "account", "accounts", "action", "actions", "active", "actor", "add", "added",
    "addr", "address", "address1", "address2", "addresses", "admin", "after", "age", "agent", "agents", "album",
    "alias", "all", "amount", "amounts", "annotation", "annotations", "ansi", "answer", "answers", "anthropic", "api",
    "app", "append", "application", "applied", "apply", "approved", "archive", "area", "arg", "args", "argument",
    "arguments", "arr", "array", "article", "ascii", "asset", "assets", "assignee", "assistant", "at", "attachment",
    "attachments", "attribute", "attributes", "audience", "audio", "auth", "authentication", "author", "authority",
    "authorization", "auto", "available", "avatar", "average", "avg", "b64", "background", "balance", "bank",
    "base64", "basic", "batch", "bcc", "before", "begin", "beta", "bic", "billed", "bin", "birth", "birthday", "blob",
    "block", "blocks", "board", "body", "bool", "boolean", "border", "box", "branch", "brand", "browser", "btn",
    "bucket", "budget", "build", "bundle", "business", "button", "bytes", "cache", "cached", "calendar", "call",
    "callback", "calls", "camera", "cancelled", "candidates", "canvas", "card", "cards", "carrier", "cart", "case",
    "categories", "category", "cc", "cell", "cells", "certificate", "cfg", "channel", "channels", "char",
    "characters", "chart", "chat", "check", "checksum", "child", "children", "choice", "choices", "chunk", "chunks",
    "citation", "citations", "cited", "city", "class", "classes", "client", "clients", "clone", "close", "cloud",
    "cmd", "code", "codes", "cohere", "collection", "collections", "color", "column", "columns", "command",
    "commands", "comment", "comments", "commit", "company", "complete", "completed", "completion", "completions",
    "component", "components", "computer", "concise", "condition", "conditions", "conf", "config", "configuration",
    "confirm", "confirmation", "connection", "contact", "contacts", "container", "content", "contents", "context",
    "conversation", "coordinates", "copy", "core", "cost", "count", "counter", "country", "county", "cpu", "create",
    "created", "creation", "creator", "credential", "credentials", "credit", "currency", "current", "cursor",
    "custom", "customer", "customers", "cvv", "cwd", "data", "database", "dataset", "date", "dates", "datetime",
    "day", "days", "db", "debit", "debug", "decimal", "decision", "default", "definition", "definitions", "deleted",
    "delivery", "delta", "demand", "department", "dependencies", "deployments", "depth", "desc", "description",
    "dest", "destination", "detail", "detailed", "details", "developer", "device", "diff", "digest", "dimension",
    "dir", "direction", "directory", "disabled", "disk", "display", "district", "doc", "docs", "document",
    "documents", "domain", "domains", "done", "draft", "driver", "dst", "due", "dump", "duration", "edit", "edits",
    "element", "elements", "email", "emails", "embed", "embeddings", "employee", "employees", "enable", "enabled",
    "encoding", "encrypted", "end", "endpoint", "engine", "entities", "entity", "entries", "entry", "enum", "env",
    "environment", "eos", "error", "errors", "eval", "event", "events", "example", "examples", "exceeded",
    "exception", "excerpt", "exchange", "exclude", "exec", "executable", "execution", "exists", "exit", "expected",
    "expired", "expires", "expiry", "explanation", "expression", "extension", "external", "extra", "factor", "failed",
    "false", "family", "fax", "feature", "features", "feedback", "field", "fields", "file", "filename", "files",
    "filter", "filterd", "filtered", "filters", "final", "find", "finding", "findings", "fingerprint", "finish",
    "finished", "first", "flag", "flags", "flex", "float", "fn", "folder", "folders", "font", "footer", "force",
    "form", "format", "forms", "forward", "found", "frame", "free", "frequency", "friend", "from", "full", "func",
    "function", "functions", "gemini", "gender", "generate", "generated", "generation", "geo", "get", "given", "goal",
    "grade", "groq", "grounding", "group", "groups", "guest", "handle", "handler", "hash", "head", "header",
    "headers", "headline", "health", "height", "help", "hidden", "high", "history", "home", "host", "hostname",
    "hosts", "hour", "hours", "html", "http", "https", "iban", "icon", "id", "identifier", "identity", "ids", "idx",
    "if", "image", "images", "img", "import", "in", "inbox", "include", "included", "incomplete", "index", "info",
    "information", "inline", "inner", "input", "inputs", "insert", "instruction", "instructions", "int", "integer",
    "interface", "internal", "interpreter", "interval", "invalid", "invoice", "invoices", "ip", "is", "isbn", "issue",
    "issues", "item", "items", "iterations", "job", "jobs", "join", "json", "key", "keys", "keyword", "keywords",
    "kind", "kwargs", "label", "labels", "lang", "language", "languages", "last", "lat", "latitude", "layer",
    "layout", "left", "legal", "len", "length", "level", "library", "license", "limit", "limits", "line", "line1",
    "line2", "lines", "link", "links", "list", "lists", "lng", "load", "local", "locale", "location", "locations",
    "lock", "log", "login", "logprobs", "logs", "lon", "long", "longitude", "low", "mail", "mailbox", "management",
    "manager", "map", "mapping", "markdown", "mask", "match", "matches", "max", "maximum", "mcp", "md5", "measure",
    "media", "medium", "member", "members", "memo", "memory", "merchant", "merge", "message", "messages", "meta",
    "metadata", "method", "metric", "metrics", "middle", "mime", "min", "minimal", "minimum", "minute", "minutes",
    "mobile", "mode", "model", "models", "modified", "module", "money", "month", "months", "more", "move", "msg",
    "multi", "name", "names", "namespace", "native", "nested", "network", "new", "next", "nickname", "no", "node",
    "nodes", "none", "not", "note", "notes", "notice", "notification", "null", "num", "number", "numbers",
    "obfuscation", "obj", "object", "objects", "offset", "offsets", "ok", "old", "ollama", "on", "open", "openai",
    "operation", "operations", "operator", "option", "options", "order", "orders", "org", "organisation",
    "organization", "organizations", "origin", "original", "other", "out", "outcome", "outer", "output", "outputs",
    "overloaded", "owner", "owners", "p", "package", "packages", "page", "pages", "paragraph", "parallel", "param",
    "parameter", "parameters", "params", "parent", "part", "partial", "participants", "parts", "party", "pass",
    "passport", "password", "patch", "path", "paths", "patient", "pattern", "pause", "payload", "payment", "payments",
    "percent", "period", "permission", "permissions", "person", "phone", "phones", "photo", "photos", "pin", "ping",
    "place", "plan", "platform", "player", "point", "points", "policy", "port", "position", "post", "postal", "power",
    "preamble", "prediction", "preferences", "prefix", "presence", "preview", "previous", "price", "prices",
    "primary", "priority", "private", "problem", "process", "product", "products", "profile", "profiles", "program",
    "progress", "project", "projects", "prompt", "prompts", "properties", "property", "provider", "ps", "public",
    "publish", "published", "publisher", "publishers", "purchase", "purpose", "pwd", "quality", "quantity", "queries",
    "query", "question", "questions", "queue", "queued", "quote", "random", "range", "rank", "rate", "rating",
    "ratings", "raw", "read", "reason", "reasoning", "reasons", "recipient", "recipients", "record", "records",
    "redacted", "ref", "reference", "references", "refund", "refusal", "refused", "region", "registered",
    "registration", "rejected", "relation", "relations", "release", "remarks", "remote", "remove", "replace",
    "replacement", "reply", "repo", "report", "reports", "repository", "req", "request", "requests", "required",
    "rerank", "res", "resolution", "resource", "resources", "resp", "response", "responses", "result", "results",
    "ret", "retry", "return", "returned", "revision", "right", "role", "roles", "room", "root", "route", "routes",
    "row", "rows", "rule", "rules", "run", "safety", "salary", "sale", "sales", "sample", "samples", "save", "scale",
    "schedule", "schema", "scope", "score", "scores", "screen", "script", "search", "searching", "second", "seconds",
    "secret", "secrets", "section", "sections", "secure", "security", "segment", "segments", "select", "selected",
    "selector", "self", "sender", "sensor", "sentence", "sequence", "serial", "series", "server", "servers",
    "service", "services", "session", "sessions", "set", "setting", "settings", "severity", "sex", "sha256", "shape",
    "share", "shell", "shipping", "short", "show", "side", "signature", "signed", "site", "size", "sizes", "skip",
    "slot", "slug", "snippet", "social", "sort", "source", "sources", "space", "spec", "specification", "speed",
    "sql", "src", "ssh", "ssn", "stack", "stage", "standard", "start", "started", "state", "statement", "states",
    "static", "statistics", "stats", "status", "stderr", "stdin", "stdout", "step", "steps", "stock", "stop",
    "storage", "store", "stores", "str", "stream", "street", "string", "strings", "structure", "student", "style",
    "sub", "subject", "subjects", "submit", "subtitle", "success", "suffix", "suggestion", "suggestions", "sum",
    "summary", "supplier", "support", "supports", "surname", "switch", "symbol", "symbols", "sync", "system", "table",
    "tables", "tag", "tags", "target", "targets", "task", "tasks", "tax", "team", "teams", "tel", "telephone",
    "temperature", "template", "templates", "tenant", "term", "terminal", "terms", "test", "tests", "text", "texts",
    "theme", "then", "thinking", "thought", "thread", "threads", "threshold", "thumbnail", "ticket", "tickets",
    "tier", "time", "timeout", "timestamp", "timezone", "timings", "title", "to", "today", "token", "tokens", "tool",
    "tools", "top", "topic", "topics", "total", "totals", "trace", "tracking", "trade", "train", "transaction",
    "transactions", "transcript", "transfer", "translation", "transport", "tree", "trigger", "true", "truncate", "truncation", "turn",
    "type", "types", "uid", "unit", "units", "unjudged", "unread", "update", "updated", "updates", "upload", "uri",
    "url", "urls", "usage", "use", "user", "username", "users", "utc", "utf8", "uuid", "v1", "v1beta", "v2", "v3",
    "val", "valid", "validation", "vals", "value", "values", "var", "variable", "variables", "variant", "vars", "vat",
    "vector", "vendor", "verbosity", "verified", "version", "versions", "video", "videos", "view", "views", "virtual",
    "visibility", "visible", "warehouse", "warning", "warnings", "web", "webhook", "website", "week", "weeks",
    "weight", "when", "where", "width", "window", "with", "word", "words", "work", "worker", "workers", "workflow",
    "workspace", "write", "x", "xml", "yaml", "year", "years", "yes", "zip", "zone",
};

enum { WORD_MAX = 16 };

static int compare(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Where the word at the front ends: capitals alone, or small letters with perhaps a capital in front. 0: none. */
static size_t word_length(struct span name)
{
    size_t n = 0;

    while (n < name.len && is_upper(name.ptr[n])) {
        n++;
    }
    if (n > 1) {
        return n;
    }
    while (n < name.len && is_lower(name.ptr[n])) {
        n++;
    }
    return n;
}

static bool is_word(struct span text)
{
    char word[WORD_MAX];

    if (text.len == 0 || text.len >= sizeof(word)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        word[i] = (char)(is_upper(text.ptr[i]) ? text.ptr[i] | 0x20 : text.ptr[i]);
    }
    word[text.len] = '\0';
    return bsearch(word, words, COUNT(words), sizeof(words[0]), compare) != NULL;
}

bool path_words_make(struct span name)
{
    size_t n = 0;

    while (n < PATH_WORDS_MAX) {
        size_t len = word_length(name);
        if (!is_word(span_slice(name, 0, len))) {
            return false;
        }
        n++;
        name = span_slice(name, len, name.len);
        if (name.len == 0) {
            return true;
        }
        if (memchr("_-.", name.ptr[0], 3) != NULL) {
            name = span_slice(name, 1, name.len);
        }
    }
    return false;
}
