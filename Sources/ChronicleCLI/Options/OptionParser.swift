/// Parses the arguments of a command according to its declaration.
///
/// Options may follow operands. `--name=value`, `--name value`, `-n value`, `-nvalue` and several letters in one argument
/// (`-hn 3`) are supported. `--` ends the options.
struct OptionParser {
    let command: Command

    /// - Throws: ``UsageError`` with the nearest name for an unknown option.
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
            let value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
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

    /// Assigns the operands to their names. Optional ones, which come first, are left out if there are too few.
    private func assign(_ operands: [String], _ result: inout Arguments) throws {
        let single = command.operands.filter { !$0.isRepeated }
        var operands = operands
        if single.count < command.operands.count, operands.count > single.count {
            result.repeated = Array(operands[single.count...])
            operands.removeSubrange(single.count...)
        }
        let missing = single.count - operands.count
        guard missing >= 0 else { throw UsageError("unexpected argument \(operands[single.count].escaped)") }
        var names = single[...]
        for _ in 0..<missing {
            guard let first = names.first, first.isOptional else {
                let name = single.dropFirst(single.count - missing).first { !$0.isOptional }
                throw UsageError("\(name?.name ?? names.last?.name ?? "an argument") is missing")
            }
            names.removeFirst()
        }
        for (name, operand) in zip(names, operands) { result.operands[name.name] = operand }
    }

    private func unknown(_ name: String, _ names: [String]) -> UsageError {
        let nearest = NearestName.nearest(to: name, in: names)
        return UsageError("unknown option \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
}
