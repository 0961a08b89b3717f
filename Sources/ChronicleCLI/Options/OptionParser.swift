import Chronicle
import Foundation

/// Options may follow operands. `--name=value`, `--name value`, `-n value`, `-nvalue` and several letters in one argument
/// (`-hn 3`) are supported. `--` ends the options.
struct OptionParser {
    let command: Command
    /// Returns whether an operand is the path or the connection string of an existing store.
    var isStore: (String) -> Bool = { $0.contains("://") || FileManager.default.fileExists(atPath: $0) }

    /// Throws ``UsageError`` with the nearest name for an unknown option.
    func parse(_ arguments: some Sequence<String>) throws -> Arguments {
        var result = Arguments()
        var operands: [String] = []
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                if command.trailing != nil { result.trailing = Array(rest) } else { operands += rest }
                break
            }
            if argument.hasPrefix("--") {
                try parseName(argument.dropFirst(2), &rest, &result)
            } else if argument.hasPrefix("-"), argument != "-" {
                try parseLetters(argument.dropFirst(), &rest, &result)
            } else {
                operands.append(argument)
            }
        }
        // A request for help or the version is not an error because of what is missing.
        if !result.has("help"), !command.isVersionRequest(result) { try assign(operands, &result) }
        return result
    }

    private func parseName(
        _ argument: Substring, _ rest: inout ArraySlice<String>, _ result: inout Arguments
    ) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = command.allOptions.first(where: { $0.name == name }) else {
            throw unknown("--\(name)", command.allOptions.map { "--\($0.name)" })
        }
        if option.value == nil {
            if parts.count > 1 { throw UsageError("--\(name) has no value") }
            result.values[name, default: []].append("")
        } else {
            // Without a value, `--version` is the option that every command has.
            let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() ?? (name == "version" ? "" : nil)
            try add(value, of: option, as: "--\(name)", &result)
        }
    }

    private func parseLetters(
        _ argument: Substring, _ rest: inout ArraySlice<String>, _ result: inout Arguments
    ) throws {
        var letters = argument
        while let letter = letters.popFirst() {
            guard let option = command.allOptions.first(where: { $0.letter == letter }) else {
                throw unknown("-\(letter)", [])
            }
            guard option.value != nil else {
                result.values[option.name, default: []].append("")
                continue
            }
            let value = letters.isEmpty ? rest.popFirst() : String(letters)
            try add(value, of: option, as: "-\(letter)", &result)
            return
        }
    }

    private func add(
        _ value: String?, of option: Command.Option, as name: String, _ result: inout Arguments
    ) throws {
        guard let value else { throw UsageError("\(name) requires a value: \(option.value ?? "")") }
        if case .list(let allowed) = option.values, !allowed.contains(value) {
            throw UsageError("\(name) cannot be \(value.escaped); it is one of \(allowed.joined(separator: ", "))")
        }
        result.values[option.name, default: []].append(value)
    }

    /// Assigns the operands to their names. If there are too few, optional ones are left out: the file, which comes first, unless
    /// the first operand is a store and others are optional, too; then the last ones.
    private func assign(_ operands: [String], _ result: inout Arguments) throws {
        let single = command.operands.filter { !$0.isRepeated }
        var operands = operands
        if single.count < command.operands.count, operands.count > single.count {
            result.repeated = Array(operands[single.count...])
            operands.removeSubrange(single.count...)
        }
        guard operands.count <= single.count else {
            throw UsageError("unexpected argument \(operands[single.count].escaped)")
        }
        var names = single[...]
        if names.count > operands.count, names.count > 1, names.last?.isOptional == true {
            let required = names.dropFirst().count { !$0.isOptional }
            let hasFile = operands.count > required && operands.first.map(isStore) == true
            if names.first?.isOptional == true, !hasFile { names.removeFirst() }
            while names.count > operands.count, names.last?.isOptional == true { names.removeLast() }
        }
        while names.count > operands.count {
            guard names.first?.isOptional == true else {
                throw UsageError("\(names.first { !$0.isOptional }?.name ?? "an argument") is missing")
            }
            names.removeFirst()
        }
        for (name, operand) in zip(names, operands) { result.operands[name.name] = operand }
    }

    private func unknown(_ name: String, _ names: [String]) -> UsageError {
        // The names of other tools.
        let synonym = ["--since": "--after", "--until": "--before"][name]
        let nearest = synonym.flatMap { names.contains($0) ? $0 : nil } ?? NearestName.nearest(to: name, in: names)
        return UsageError("unknown option \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
}
